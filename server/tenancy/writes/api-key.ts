/** Changes an API key: one transaction that locks its row before anything else (lock order: key, users, organizations, event streams). */
import type { WorkspaceId } from '#contract/core/ids.ts'
import type { KeyType } from '#contract/keys/api-keys.ts'
import type { Db, Session } from '#platform/db/db.ts'
import { statement } from '#platform/db/statement.ts'
import type { SealContext } from '#platform/secrets/seal.ts'
import type { StatusError } from '#platform/status-error.ts'
import type { WorkspaceCaller } from '../callers/caller.ts'
import { apiKeyDoesNotExist } from '../refusals.ts'
import { inTurn } from './turns.ts'
import { holdCaller } from './workspace.ts'

export const LOCK_API_KEY = statement<{ type: KeyType }>(
  'api-keys.lock',
  `select type from api_keys where api_key_id = $2 and workspace_id = $1 for no key update`,
)

/** Runs `work` while the row of the key is locked: nobody else can change or delete the key, or add tokens to it. */
export const changeApiKey = <T>(
  db: Db,
  { workspaceId }: { workspaceId: WorkspaceId },
  apiKeyId: string,
  work: (session: Session, type: KeyType) => Promise<T>,
  notFound: () => StatusError = apiKeyDoesNotExist,
): Promise<T> =>
  inTurn(db, { keys: [apiKeyId], tenant: apiKeyId, queue: 'short' }, () =>
    db.transaction(async (session) => {
      const [key] = await session.run(LOCK_API_KEY, [workspaceId, apiKeyId])
      if (key === undefined) throw notFound()
      return work(session, key.type)
    }),
  )

/**
 * Does the same for calls that create secrets of the key, while the credentials of the caller are held (`holdCaller`). If the key is in a
 * bucket, a transaction of the home database holds them until that of the bucket has committed.
 */
export const changeApiKeyAs = <T>(
  { db, home }: { db: Db; home: Db },
  caller: WorkspaceCaller,
  apiKeyId: string,
  work: (session: Session) => Promise<T>,
): Promise<T> =>
  home === db
    ? changeApiKey(db, caller, apiKeyId, async (session, type) => {
        const requireRoleFor = await holdCaller(session, caller)
        requireRoleFor(type)
        return work(session)
      })
    : home.transaction(async (session) => {
        const requireRoleFor = await holdCaller(session, caller)
        return changeApiKey(db, caller, apiKeyId, async (inBucket, type) => {
          requireRoleFor(type)
          return work(inBucket)
        })
      })

/** Returns the context that seals a secret of an external service, stored in the row of an API key. */
export const apiKeySealContext = (
  column:
    | 'email_service_key_sealed'
    | 'webhook_service_token_sealed'
    | 'permission_provider_token_sealed'
    | 'signature_secret_sealed',
  apiKeyId: string,
): SealContext => ({ column: `api_keys.${column}`, row: apiKeyId })
