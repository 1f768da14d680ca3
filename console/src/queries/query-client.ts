/**
 * The query client. It never retries, because the API client does so where it helps. Every error is checked in one
 * place: whether the server is reachable, and whether the user is still signed in.
 */
import { MutationCache, QueryCache, QueryClient, type QueryKey } from '@tanstack/react-query'
import { CommonholdError } from '#sdk/errors.ts'
import { reportError, reportSuccess } from '../session/reachability.ts'
import { listenToOtherTabs, sessionQuery } from '../session/session.ts'
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
    queries: { retry: false, networkMode: 'always' },
    mutations: { retry: false, networkMode: 'always' },
  },
})

listenToOtherTabs(queryClient)

/** Refetches the visible pages of lists at once and drops the others, however long the lists are. */
async function refetch(queryKey: QueryKey): Promise<void> {
  const queries = queryClient.getQueryCache().findAll({ queryKey })
  queryClient.removeQueries({ queryKey, predicate: (query) => isHiddenPage(query, queries) })
  await queryClient.invalidateQueries({ queryKey })
}

function handleError(error: Error): void {
  reportError(error)
  // The first refused call reveals that the session has expired.
  if (
    error instanceof CommonholdError &&
    error.reason === 'credentials_invalid' &&
    !error.operation.startsWith('session.')
  )
    void queryClient.refetchQueries({ queryKey: sessionQuery.queryKey })
}
