/** Checks, lists, creates, resets and revokes the auth tokens of an API key (rules/keys.md#auth-tokens, rules/keys.md#scopes). */

import type { ApiKeyId, WorkspaceId } from '#contract/core/ids.ts'
import { LIMITS } from '#contract/core/limits.ts'
import { type DataOf, SCOPES, type Scope } from '#contract/core/operation.ts'
import type {
  AuthToken,
  createAuthToken,
  getAuthTokens,
  ListedAuthToken,
  listAuthTokens,
  resetAuthToken,
  revokeAuthToken,
  TokenOrigin,
} from '#contract/keys/auth-tokens.ts'
import type { CredentialLookups } from '#http/credentials/credentials.ts'
import type { Db, Session } from '#platform/db/db.ts'
import type { Log } from '#platform/log.ts'
import type { Sealer } from '#platform/secrets/seal.ts'
import { createToken, tokenHash } from '#platform/secrets/tokens.ts'
import { StatusError } from '#platform/status-error.ts'
import type { WorkspaceCaller } from '#tenancy/callers/caller.ts'
import { originOf, tokenRecord } from '#tenancy/callers/token-records.ts'
import { recordStreamEvents, type StreamEvent } from '#tenancy/events/record.ts'
import { apiKeyDoesNotExist } from '#tenancy/refusals.ts'
import { changeApiKeyAs } from '#tenancy/writes/api-key.ts'
import { coalescedReads } from '#tenancy/writes/coalesced.ts'
import {
  type AuthTokenRow,
  CHECK_CREDENTIALS,
  COUNT_AUTH_TOKENS,
  GET_API_KEY,
  GET_AUTH_TOKENS,
  GET_KEY_OF_WORKSPACE,
  INSERT_AUTH_TOKEN,
  RESET_AUTH_TOKENS,
  REVOKE_AUTH_TOKEN,
} from './statements.ts'
import { createUseRecorder } from './use.ts'

export interface AuthTokensDeps {
  db: Db
  home: Db
  sealer: Sealer
  log: Log
}

interface NewToken {
  name: string
  scopes: readonly Scope[]
  origin: TokenOrigin
  /** Unix seconds. */
  expiresAt?: number
}

export function createAuthTokens({ db, home, sealer, log }: AuthTokensDeps) {
  const recordUse = createUseRecorder(db, log)
  const tokenChecks = coalescedReads(db, CHECK_CREDENTIALS, {
    keyOf: ({ apiKeyId, tokenHash }) => `${apiKeyId} ${tokenHash.toString('base64')}`,
  })

  const lookUp: CredentialLookups['apiKey'] = async (apiKeyId, hash) => {
    const [found] = await tokenChecks.run([{ apiKeyId, tokenHash: hash }], apiKeyId)
    if (found === undefined) return undefined
    const { req: _req, workspaceId, isUnrecorded, ...rest } = found
    if (isUnrecorded) await recordUse(hash)
    return { apiKeyId, workspaceId: workspaceId as WorkspaceId, ...rest }
  }

  /** Adds a token in a transaction that has locked the key. */
  async function insert(
    session: Session,
    apiKey: string,
    { name, scopes, origin, expiresAt }: NewToken,
  ): Promise<AuthToken> {
    const token = createToken('cht_')
    const hash = tokenHash(token)
    const sealed = sealer.seal(token, place(hash))
    const until = expiresAt === undefined ? null : new Date(expiresAt * 1000)
    const [row] = await session.run(INSERT_AUTH_TOKEN, [
      hash,
      apiKey,
      name,
      sealed,
      scopes,
      until,
      JSON.stringify(origin),
    ])
    if (row === undefined) throw new Error('the auth token was not inserted')
    return tokenOf(row, token)
  }

  const record = (
    session: Session,
    { workspaceId, actor }: WorkspaceCaller,
    event: Pick<StreamEvent, 'type' | 'before' | 'after'> & { apiKeyId: string },
  ) => recordStreamEvents(session, [{ ...event, workspaceId, actor }])

  /** Returns the tokens of a key that are valid now. */
  async function read({ workspaceId }: WorkspaceCaller, apiKey: string): Promise<AuthTokenRow[]> {
    const [key] = await db.run(GET_API_KEY, [workspaceId, apiKey])
    if (key === undefined) throw apiKeyDoesNotExist()
    return db.runSet(GET_AUTH_TOKENS, [{ apiKeyId: apiKey }])
  }

  const open = ({ hash, sealed }: AuthTokenRow): string => sealer.open(sealed, place(hash))

  return {
    lookUp,

    /** Returns an API key for a caller with the credentials of its workspace: with every scope, because they can read its auth tokens. */
    async keyOfWorkspace(workspaceId: WorkspaceId, apiKeyId: ApiKeyId) {
      const [key] = await db.run(GET_KEY_OF_WORKSPACE, [workspaceId, apiKeyId])
      return key === undefined ? undefined : { apiKeyId, workspaceId, scopes: [...SCOPES], ...key }
    },

    /** Returns the tokens with their secrets, and records who saw them. */
    async get(
      caller: WorkspaceCaller,
      { apiKey }: DataOf<typeof getAuthTokens>,
    ): Promise<{ apiKey: string; authTokens: AuthToken[] }> {
      const rows = await read(caller, apiKey)
      const ids = rows.map(({ id }) => id)
      await record(db, caller, { type: 'auth_token.shown', apiKeyId: apiKey, after: { ids } })
      return { apiKey, authTokens: rows.map((row) => tokenOf(row, open(row))) }
    },

    async list(
      caller: WorkspaceCaller,
      { apiKey }: DataOf<typeof listAuthTokens>,
    ): Promise<{ apiKey: string; authTokens: ListedAuthToken[] }> {
      return { apiKey, authTokens: (await read(caller, apiKey)).map((row) => recordOf(row, open(row))) }
    },

    async create(
      caller: WorkspaceCaller,
      { apiKey, name, scopes: given = [...SCOPES], expiresAt }: DataOf<typeof createAuthToken>,
    ): Promise<{ apiKey: string; authToken: AuthToken }> {
      const scopes = SCOPES.filter((scope) => given.includes(scope))
      return changeApiKeyAs({ db, home }, caller, apiKey, async (session) => {
        const [counted] = await session.runSet(COUNT_AUTH_TOKENS, [{ apiKeyId: apiKey }])
        if ((counted?.count ?? 0) >= LIMITS.authTokensPerKeyMax)
          throw new StatusError(
            'RESOURCE_EXHAUSTED',
            'too_many_auth_tokens',
            `An API key can have at most ${LIMITS.authTokensPerKeyMax} valid auth tokens; this one has reached the limit. Revoke one first.`,
          )
        const authToken = await insert(session, apiKey, {
          ...{ name, scopes, origin: originOf('created', caller.actor) },
          ...(expiresAt === undefined ? {} : { expiresAt }),
        })
        await record(session, caller, {
          type: 'auth_token.created',
          apiKeyId: apiKey,
          after: { id: authToken.id, name, scopes, ...(expiresAt === undefined ? {} : { expiresAt }) },
        })
        return { apiKey, authToken }
      })
    },

    async reset(
      caller: WorkspaceCaller,
      { apiKey, gracePeriodSeconds = 0 }: DataOf<typeof resetAuthToken>,
    ): Promise<{ apiKey: string; newAuthToken: AuthToken }> {
      return changeApiKeyAs({ db, home }, caller, apiKey, async (session) => {
        await session.runSet(RESET_AUTH_TOKENS, [{ apiKeyId: apiKey, gracePeriodSeconds }])
        const newAuthToken = await insert(session, apiKey, {
          name: 'Default Auth Token',
          scopes: SCOPES,
          origin: originOf('replaced_others', caller.actor),
        })
        const { id, name } = newAuthToken
        await record(session, caller, {
          type: 'auth_token.reset',
          apiKeyId: apiKey,
          after: { id, name, gracePeriodSeconds },
        })
        return { apiKey, newAuthToken }
      })
    },

    async revoke(caller: WorkspaceCaller, { apiKey, authTokenId }: DataOf<typeof revokeAuthToken>): Promise<void> {
      await changeApiKeyAs({ db, home }, caller, apiKey, async (session) => {
        const [token] = await session.runSet(REVOKE_AUTH_TOKEN, [{ apiKeyId: apiKey, authTokenId }])
        if (token === undefined)
          throw new StatusError('NOT_FOUND', 'auth_token_does_not_exist', 'The API key has no such auth token.')
        const { id, name, wasValid } = token
        if (wasValid)
          await record(session, caller, { type: 'auth_token.revoked', apiKeyId: apiKey, before: { id, name } })
      })
    },

    coalescers: [tokenChecks],
  }
}

const place = (hash: Buffer) => ({ column: 'auth_tokens.token_sealed', row: hash.toString('hex') })

type Row = Omit<AuthTokenRow, 'hash' | 'sealed'>

const tokenOf = (row: Row, token: string): AuthToken => ({ ...recordOf(row, token), token })

const recordOf = ({ scopes, ...row }: Row, token: string): ListedAuthToken => ({
  ...tokenRecord(row, token),
  domains: [],
  scopes,
})
