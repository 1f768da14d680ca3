/**
 * The query client. While the server is unreachable, queries wait and keep their data. Otherwise it never retries,
 * because the API client retries where it helps. Every error is checked in one place: whether the server is reachable,
 * and whether the user is still signed in.
 */
import { MutationCache, QueryCache, QueryClient, type QueryKey } from '@tanstack/react-query'
import { CommonholdError } from '#sdk/errors.ts'
import { isUnreachable, reportError, reportSuccess, startProbing } from '../session/reachability.ts'
import { isServerReachable, sessionQuery, startSession } from '../session/session.ts'
import { watchEnds } from './live/ends.ts'
import { asOwnChange } from './pages/own-changes.ts'
import { isHiddenPage } from './pages/pages.ts'

declare module '@tanstack/react-query' {
  interface Register {
    mutationMeta: {
      /** Prefixes of the keys of queries that are refetched after the change. */
      invalidates?: readonly QueryKey[]
    }
  }
}

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: handleError, onSuccess: reportSuccess }),
  mutationCache: new MutationCache({
    onError: handleError,
    onSuccess: reportSuccess,
    // After errors as well: some items may have changed, or all of them when the response was lost.
    onSettled: async (_data, _error, _variables, _context, { meta }) => {
      await Promise.all((meta?.invalidates ?? []).map(refetch))
    },
  }),
  defaultOptions: {
    // A query that meets an unreachable server pauses until it is back.
    queries: { retry: waitsForServer, retryDelay: 0, networkMode: 'online' },
    // A change is never sent behind anybody's back: it fails.
    mutations: { retry: false, networkMode: 'always' },
  },
})

startSession(queryClient)
startProbing(isServerReachable)
watchEnds(queryClient)

function waitsForServer(_failures: number, error: Error): boolean {
  reportError(error)
  return isUnreachable(error)
}

/** Refetches after a change of one's own: visible pages of lists at once; the others are dropped, however long the lists are. */
export const refetch = (queryKey: QueryKey): Promise<void> =>
  asOwnChange(async () => {
    const queries = queryClient.getQueryCache().findAll({ queryKey })
    queryClient.removeQueries({ queryKey, predicate: (query) => isHiddenPage(query, queries) })
    await queryClient.invalidateQueries({ queryKey })
  })

/** The session has expired, or the role is another one. */
const OF_SESSION: readonly CommonholdError['reason'][] = ['credentials_invalid', 'role_missing']

function handleError(error: Error): void {
  reportError(error)
  // The first refused call reveals it.
  if (error instanceof CommonholdError && OF_SESSION.includes(error.reason) && !error.operation.startsWith('session.'))
    void queryClient.refetchQueries({ queryKey: sessionQuery.queryKey })
}
