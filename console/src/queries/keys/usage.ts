/** The query of the usage of an API key over a time. */
import { queryOptions } from '@tanstack/react-query'
import type { GetUsageData } from '#sdk/generated/operations.ts'
import type { Key } from '../../session/session.ts'
import { queryKeyOf } from './keys.ts'

const REFRESH_MS = 60_000

/** Refetched while the view is visible. */
export const usageQuery = (key: Key, data: GetUsageData) =>
  queryOptions({
    queryKey: queryKeyOf(key, 'usage', data),
    queryFn: async () => (await key.client.usage.get(data)).periods,
    refetchInterval: REFRESH_MS,
  })
