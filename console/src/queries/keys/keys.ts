/** Queries and mutations of the workspace's API keys and their auth tokens; only for sessions of the workspace. */
import { mutationOptions, queryOptions } from '@tanstack/react-query'
import type {
  ApiKeySummary,
  CreateApiKeyData,
  CreateAuthTokenData,
  DeleteApiKeyData,
  OrderBy,
  RevokeAuthTokenData,
  UpdateApiKeyData,
} from '#sdk/generated/operations.ts'
import type { Key } from '../../session/session.ts'
import { workspace } from '../../session/session.ts'
import { deleteOne } from '../pages/deletion.ts'
import { pagesQuery } from '../pages/pages.ts'
import type { KeyQuery } from './key-queries.ts'

/** The key of a query about one API key. `queryKeyOf(key)` is the common prefix, which invalidates all of them. */
export const queryKeyOf = (key: Key, ...rest: readonly [] | readonly [KeyQuery, ...(readonly unknown[])]) =>
  ['key', key.id, ...rest] as const

/** The `meta` of a change after which all data of the key are refetched. */
export const refetchingAll = (key: Key) => ({ invalidates: [queryKeyOf(key)] })

const KEYS = ['workspace', 'keys'] as const

/** While a database is down, the API keys of the others are shown; a notification says what is missing. */
const SHOWN = { leaveOutUnavailable: true }

/** All API keys, or those that a text finds, page by page. */
export const keyPagesQuery = (query: string, orderBy: OrderBy) =>
  pagesQuery({
    queryKey: [...KEYS, 'list', query, orderBy],
    method: workspace.apiKeys.get,
    data: { ...SHOWN, orderBy, ...(query === '' ? {} : { query }) },
    rowsOf: (keys) => keys,
  })

/** A workspace has one key per environment, so this is plenty; the view "API keys" lists all. */
const OFFERED_MAX = 1_000

/** The API keys to select from. */
export const keysQuery = queryOptions({
  queryKey: [...KEYS, 'offered'],
  queryFn: async ({ signal }) => {
    const keys: ApiKeySummary[] = []
    for await (const { data } of workspace.apiKeys.get.pages({ ...SHOWN, orderBy: 'name' }, { signal }))
      if (keys.push(...data) >= OFFERED_MAX) break
    return keys
  },
  // Every view uses it.
  staleTime: 10_000,
})

/** Null when the workspace has no such key. */
export const apiKeyQuery = (id: string) =>
  queryOptions({
    queryKey: [...KEYS, 'one', id],
    queryFn: async ({ signal }) => (await workspace.apiKeys.get({ apiKeys: [id] }, { signal }))[0] ?? null,
  })

const AUTH_TOKENS = ['workspace', 'auth-tokens'] as const

export const authTokensQuery = (key: Key) =>
  queryOptions({
    queryKey: [...AUTH_TOKENS, key.id],
    queryFn: async ({ signal }) => (await workspace.authTokens.list({ apiKey: key.id }, { signal })).authTokens,
  })

const invalidatesWorkspace = { invalidates: [['workspace']] }

/** With `createAuthToken` the response contains a secret: it is dropped as soon as its dialog closes. */
export const createApiKey = mutationOptions({
  mutationFn: (data: CreateApiKeyData) => workspace.apiKeys.create(data),
  meta: invalidatesWorkspace,
  gcTime: 0,
})

export const updateApiKey = mutationOptions({
  mutationFn: (data: UpdateApiKeyData) => workspace.apiKeys.update(data),
  meta: invalidatesWorkspace,
})

export const disableApiKey = mutationOptions({
  mutationFn: ({ apiKey, disabled }: { apiKey: string; disabled: boolean }) =>
    disabled ? workspace.apiKeys.disable({ apiKey }) : workspace.apiKeys.enable({ apiKey }),
  meta: invalidatesWorkspace,
})

export const deleteApiKey = mutationOptions({
  mutationFn: (data: DeleteApiKeyData) => deleteOne(() => workspace.apiKeys.delete(data)),
  meta: invalidatesWorkspace,
})

/** The responses of this and of `resetAuthTokens` contain a secret. */
export const createAuthToken = mutationOptions({
  mutationFn: async (data: CreateAuthTokenData) => (await workspace.authTokens.create(data)).authToken,
  meta: { invalidates: [AUTH_TOKENS] },
  gcTime: 0,
})

/** Resolves with the new token. */
export const resetAuthTokens = (key: Key) =>
  mutationOptions({
    mutationFn: async (gracePeriodSeconds: number) =>
      (await workspace.authTokens.reset({ apiKey: key.id, gracePeriodSeconds })).newAuthToken.token,
    meta: { invalidates: [AUTH_TOKENS] },
    gcTime: 0,
  })

export const revokeAuthToken = mutationOptions({
  mutationFn: (data: RevokeAuthTokenData) => workspace.authTokens.revoke(data),
  meta: { invalidates: [AUTH_TOKENS] },
})
