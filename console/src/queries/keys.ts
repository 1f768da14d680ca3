/** API keys of the workspace and their auth tokens; for sessions of a workspace alone. */
import { mutationOptions, queryOptions } from '@tanstack/react-query'
import type {
  ApiKeySummary,
  AuthToken,
  CreateApiKeyData,
  CreateAuthTokenData,
  DeleteApiKeyData,
  ResetAuthTokenData,
  RevokeAuthTokenData,
  UpdateApiKeyData,
} from '#sdk/generated/operations.ts'
import type { Key } from '../session/session.ts'
import { workspace } from '../session/session.ts'
import { pagesQuery } from './pages.ts'

/** What is read of one API key; all of it is read again with `invalidateQueries({ queryKey: ofKey(key) })`. */
export const ofKey = (key: Key, ...rest: readonly unknown[]) => ['key', key.id, ...rest] as const

export const KEYS = ['workspace', 'keys'] as const

/** All of them, page by page. */
export const keyPagesQuery = pagesQuery({
  queryKey: [...KEYS, 'list'],
  method: workspace.apiKeys.get,
  data: {},
  rowsOf: (keys) => keys,
})

/** A key is an environment: a workspace with more has made a mistake, and the view of keys lists them all. */
const OFFERED_MAX = 1_000

/** To choose from. */
export const keysQuery = queryOptions({
  queryKey: [...KEYS, 'offered'],
  queryFn: async ({ signal }) => {
    const keys: ApiKeySummary[] = []
    for await (const { data } of workspace.apiKeys.get.pages({}, { signal }))
      if (keys.push(...data) >= OFFERED_MAX) break
    return keys
  },
  // Every view asks for it.
  staleTime: 10_000,
})

/** Null: the workspace has none with this id. */
export const apiKeyQuery = (id: string) =>
  queryOptions({
    queryKey: [...KEYS, 'one', id],
    queryFn: async ({ signal }) => (await workspace.apiKeys.get({ apiKeys: [id] }, { signal }))[0] ?? null,
  })

/** What is kept in the page of an auth token: all but the secret, which is shown once, when the token is made. */
export type ShownAuthToken = Omit<AuthToken, 'token'>

const AUTH_TOKENS = ['workspace', 'auth-tokens'] as const

export const authTokensQuery = (key: Key) =>
  queryOptions({
    queryKey: [...AUTH_TOKENS, key.id],
    queryFn: async ({ signal }): Promise<ShownAuthToken[]> => {
      const { authTokens } = await workspace.authTokens.get({ apiKey: key.id }, { signal })
      return authTokens.map(({ token: _secret, ...shown }) => shown)
    },
  })

export const accountEventsQuery = (apiKey?: string) =>
  pagesQuery({
    queryKey: ['workspace', 'events', apiKey],
    method: workspace.accountEvents.list,
    data: { apiKey, order: 'newestFirst', pageSize: 100 },
    rowsOf: ({ events }) => events,
  })

const keysChange = { invalidates: [['workspace']] }

/** With `createAuthToken` the answer has a secret: nothing keeps it when what shows it is closed. */
export const createApiKey = mutationOptions({
  mutationFn: (data: CreateApiKeyData) => workspace.apiKeys.create(data),
  meta: keysChange,
  gcTime: 0,
})

export const updateApiKey = mutationOptions({
  mutationFn: (data: UpdateApiKeyData) => workspace.apiKeys.update(data),
  meta: keysChange,
})

export const disableApiKey = mutationOptions({
  mutationFn: ({ apiKey, disabled }: { apiKey: string; disabled: boolean }) =>
    disabled ? workspace.apiKeys.disable({ apiKey }) : workspace.apiKeys.enable({ apiKey }),
  meta: keysChange,
})

export const deleteApiKey = mutationOptions({
  mutationFn: (data: DeleteApiKeyData) => workspace.apiKeys.delete(data),
  meta: keysChange,
})

/** Its answer and that of `resetAuthToken` have a secret. */
export const createAuthToken = mutationOptions({
  mutationFn: async (data: CreateAuthTokenData) => (await workspace.authTokens.create(data)).authToken,
  meta: { invalidates: [AUTH_TOKENS] },
  gcTime: 0,
})

export const resetAuthToken = mutationOptions({
  mutationFn: async (data: ResetAuthTokenData) => (await workspace.authTokens.reset(data)).newAuthToken,
  meta: { invalidates: [AUTH_TOKENS] },
  gcTime: 0,
})

export const revokeAuthToken = mutationOptions({
  mutationFn: (data: RevokeAuthTokenData) => workspace.authTokens.revoke(data),
  meta: { invalidates: [AUTH_TOKENS] },
})
