/** The secrets that go with an API key: checking them, reading them, replacing them (decisions B5). */
import type { AuthToken, getAuthTokens, resetAuthToken } from '#contract/auth-tokens.ts'
import type { WorkspaceId } from '#contract/ids.ts'
import type { DataOf } from '#contract/operation.ts'
import type { CredentialLookups } from '#http/authenticate.ts'
import type { Db } from '#platform/db/db.ts'
import type { Sealer } from '#platform/seal.ts'
import { createToken, tokenHash } from '#platform/tokens.ts'
import type { WorkspaceCaller } from '#tenancy/caller.ts'
import { recordStreamEvents } from '#tenancy/events.ts'
import { coalescedReads } from '#tenancy/organization-writes.ts'
import { apiKeyDoesNotExist } from '#tenancy/refusals.ts'
import { CHECK_CREDENTIALS, GET_API_KEY, GET_AUTH_TOKENS, LOCK_API_KEY, RESET_AUTH_TOKEN } from './statements.ts'

export interface AuthTokensDeps {
  db: Db
  sealer: Sealer
}

export type AuthTokens = ReturnType<typeof createAuthTokens>

export function createAuthTokens({ db, sealer }: AuthTokensDeps) {
  const checking = coalescedReads(db, CHECK_CREDENTIALS)

  const lookUp: CredentialLookups['apiKey'] = async (apiKeyId, hash) => {
    const [found] = await checking.run([{ apiKeyId, tokenHash: hash }])
    if (found === undefined) return undefined
    const { req: _req, workspaceId, ...rest } = found
    return { apiKeyId, workspaceId: workspaceId as WorkspaceId, ...rest }
  }

  return {
    lookUp,

    async get(
      caller: WorkspaceCaller,
      { apiKey }: DataOf<typeof getAuthTokens>,
    ): Promise<{ apiKey: string; authTokens: AuthToken[] }> {
      const [key] = await db.run(GET_API_KEY, [caller.workspaceId, apiKey])
      if (key === undefined) throw apiKeyDoesNotExist()
      const rows = await db.run(GET_AUTH_TOKENS, [apiKey])
      return {
        apiKey,
        authTokens: rows.map(({ hash, name, sealed }) => ({
          token: sealer.open(sealed, place(hash)),
          name,
          domains: [],
        })),
      }
    },

    async reset(
      caller: WorkspaceCaller,
      { apiKey, gracePeriodSeconds = 0 }: DataOf<typeof resetAuthToken>,
    ): Promise<{ apiKey: string; newAuthToken: AuthToken }> {
      const token = createToken('cht_')
      const hash = tokenHash(token)
      const name = 'Default Auth Token'
      await db.transaction(async (session) => {
        const [key] = await session.run(LOCK_API_KEY, [caller.workspaceId, apiKey])
        if (key === undefined) throw apiKeyDoesNotExist()
        await session.run(RESET_AUTH_TOKEN, [apiKey, hash, name, sealer.seal(token, place(hash)), gracePeriodSeconds])
        await recordStreamEvents(session, [
          {
            type: 'auth_token.reset',
            workspaceId: caller.workspaceId,
            apiKeyId: apiKey,
            actor: caller.actor,
            after: { name, gracePeriodSeconds },
          },
        ])
      })
      return { apiKey, newAuthToken: { token, name, domains: [] } }
    },

    coalescers: [checking],
  }
}

const place = (hash: Buffer) => ({ column: 'auth_tokens.token_sealed', row: hash.toString('hex') })
