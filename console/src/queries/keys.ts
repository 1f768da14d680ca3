/** API keys of the workspace and their auth tokens; for sessions of a workspace alone. */
import { queryOptions } from '@tanstack/react-query'
import type { Key } from '../session/session.ts'
import { workspace } from '../session/session.ts'
import { all, pagesQuery } from './pages.ts'

/** What is read of one API key; all of it is read again with `invalidateQueries({ queryKey: ofKey(key) })`. */
export const ofKey = (key: Key, ...rest: readonly unknown[]) => ['key', key.id, ...rest] as const

export const KEYS = ['workspace', 'keys'] as const

export const keysQuery = queryOptions({
  queryKey: KEYS,
  queryFn: async ({ signal }) => (await all(workspace.apiKeys.get.pages({}, { signal }))).flat(),
  // Every view asks for it.
  staleTime: 10_000,
})

export const workspaceQuery = queryOptions({
  queryKey: ['workspace', 'itself'],
  queryFn: ({ signal }) => workspace.workspaces.get({}, { signal }),
})

export const authTokensQuery = (key: Key) =>
  queryOptions({
    queryKey: ['workspace', 'auth-tokens', key.id],
    queryFn: async ({ signal }) => (await workspace.authTokens.get({ apiKey: key.id }, { signal })).authTokens,
  })

export const accountEventsQuery = (apiKey?: string) =>
  pagesQuery({
    queryKey: ['workspace', 'events', apiKey],
    method: workspace.accountEvents.list,
    data: { apiKey, order: 'newestFirst' },
    rowsOf: ({ events }) => events,
  })

/** Settings of the key. */
export const keyConfigQuery = (key: Key) =>
  queryOptions({
    queryKey: ofKey(key, 'config'),
    queryFn: ({ signal }) => key.client.keyConfig.get({}, { signal }),
  })

export const emailConfigQuery = (key: Key) =>
  queryOptions({
    queryKey: ofKey(key, 'email-config'),
    queryFn: ({ signal }) => key.client.emailConfig.get({}, { signal }),
  })

export const domainsQuery = (key: Key) =>
  queryOptions({
    queryKey: ofKey(key, 'domains'),
    queryFn: async ({ signal }) => (await key.client.domains.get({}, { signal })).allowedDomains,
  })
