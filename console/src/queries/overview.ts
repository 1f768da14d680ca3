/** What an API key has, and how it does. */
import { queryOptions } from '@tanstack/react-query'
import { type Key, overviewOf } from '../session/session.ts'
import { ofKey } from './keys.ts'

const AGAIN_MS = 10_000

/** Asked again while somebody looks. */
export const overviewQuery = (key: Key) =>
  queryOptions({
    queryKey: ofKey(key, 'overview'),
    queryFn: () => overviewOf(key.id),
    refetchInterval: AGAIN_MS,
  })
