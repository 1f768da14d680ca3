/** The query of the overview of an API key: counts and health. */
import { queryOptions } from '@tanstack/react-query'
import { type Key, overviewOf } from '../../session/session.ts'
import { queryKeyOf } from './keys.ts'

const REFRESH_MS = 10_000

/** Refetched while the view is visible. */
export const overviewQuery = (key: Key) =>
  queryOptions({
    queryKey: queryKeyOf(key, 'overview'),
    queryFn: () => overviewOf(key.id),
    refetchInterval: REFRESH_MS,
  })
