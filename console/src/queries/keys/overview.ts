/** The queries of the overview: counts and health of an API key, its usage, and its findings. */
import { queryOptions } from '@tanstack/react-query'
import type { GetUsageData } from '#sdk/generated/operations.ts'
import { type Key, overviewOf, workspace } from '../../session/session.ts'
import { queryKeyOf } from './keys.ts'

const REFRESH_MS = 10_000

/** Refetched while the view is visible. */
export const overviewQuery = (key: Key) =>
  queryOptions({
    queryKey: queryKeyOf(key, 'overview'),
    queryFn: () => overviewOf(key.id),
    refetchInterval: REFRESH_MS,
  })

export const findingsQuery = (key: Key) =>
  queryOptions({ queryKey: queryKeyOf(key, 'findings'), queryFn: () => key.client.findings.list() })

/** The findings of the workspace of the session. */
export const accountFindingsQuery = queryOptions({
  queryKey: ['workspace', 'findings'],
  queryFn: async () => (await workspace.accountFindings.list()).findings,
})

const USAGE_REFRESH_MS = 60_000

/** The usage of an API key over a time, refetched while the view is visible. */
export const usageQuery = (key: Key, data: GetUsageData) =>
  queryOptions({
    queryKey: queryKeyOf(key, 'usage', data),
    queryFn: async () => (await key.client.usage.get(data)).periods,
    refetchInterval: USAGE_REFRESH_MS,
  })
