/** The way of every change of an API key itself: one transaction that first locks its row, before anything else (lock order: key, users, organizations, event streams). */
import type { WorkspaceId } from '#contract/ids.ts'
import type { Db, Session } from '#platform/db/db.ts'
import { statement } from '#platform/db/statement.ts'
import type { Place } from '#platform/seal.ts'
import type { StatusError } from '#platform/status-error.ts'
import { apiKeyDoesNotExist } from '../refusals.ts'
import { inTurn } from './turns.ts'

export const LOCK_API_KEY = statement<{ apiKeyId: string }>(
  'api-keys.lock',
  `select api_key_id as "apiKeyId" from api_keys where api_key_id = $2 and workspace_id = $1 for no key update`,
)

/** Runs `work` while it holds the key of the workspace: nobody else changes it, adds tokens to it or deletes it meanwhile. */
export const changeApiKey = <T>(
  db: Db,
  { workspaceId }: { workspaceId: WorkspaceId },
  apiKeyId: string,
  work: (session: Session) => Promise<T>,
  whenGone: () => StatusError = apiKeyDoesNotExist,
): Promise<T> =>
  inTurn(db, [apiKeyId], () =>
    db.transaction(async (session) => {
      const [key] = await session.run(LOCK_API_KEY, [workspaceId, apiKeyId])
      if (key === undefined) throw whenGone()
      return work(session)
    }),
  )

/** Where a secret that is stored for another service stands. */
export const apiKeySealContext = (
  column: 'email_service_key_sealed' | 'webhook_service_token_sealed',
  apiKeyId: string,
): Place => ({ column: `api_keys.${column}`, row: apiKeyId })
