/** The query of the overview of an API key: counts, traffic and health. */
import { queryOptions } from '@tanstack/react-query'
import { type Key, overviewOf } from '../session/session.ts'
import { ofKey } from './keys.ts'

const AGAIN_MS = 10_000

/** Refetched while the view is visible. */
export const overviewQuery = (key: Key) =>
  queryOptions({
    queryKey: ofKey(key, 'overview'),
    queryFn: () => overviewOf(key.id),
    refetchInterval: AGAIN_MS,
  })
