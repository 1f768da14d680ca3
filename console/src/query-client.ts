/**
 * Reading and changing: nothing is tried again here, because the client does that where it helps. Whatever fails is
 * looked at in one place: whether the server is there, and whether somebody is still signed in.
 */
import { MutationCache, QueryCache, QueryClient, type QueryKey } from '@tanstack/react-query'
import { CommonholdError } from '#sdk/errors.ts'
import { isUnseenPage } from './queries/pages.ts'
import { listenToOtherTabs, sessionQuery } from './session/session.ts'
import { noteAnswer, noteFailure } from './shell/reachability.ts'

declare module '@tanstack/react-query' {
  interface Register {
    mutationMeta: {
      /** Of queries that are read again when the change is made; a part of a key is that of all that begin with it. */
      invalidates?: readonly QueryKey[]
    }
  }
}

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: failed, onSuccess: noteAnswer }),
  mutationCache: new MutationCache({
    onError: failed,
    onSuccess: noteAnswer,
    // Also after failures: some of the items may be changed, or all of them where the answer was lost.
    onSettled: async (_data, _error, _variables, _context, { meta }) => {
      await Promise.all((meta?.invalidates ?? []).map(readAgain))
    },
  }),
  defaultOptions: {
    queries: { retry: false, networkMode: 'always' },
    mutations: { retry: false, networkMode: 'always' },
  },
})

listenToOtherTabs(queryClient)

/** Of lists what is seen is read again at once, however long they are. */
async function readAgain(queryKey: QueryKey): Promise<void> {
  const queries = queryClient.getQueryCache().findAll({ queryKey })
  queryClient.removeQueries({ queryKey, predicate: (query) => isUnseenPage(query, queries) })
  await queryClient.invalidateQueries({ queryKey })
}

function failed(error: Error): void {
  noteFailure(error)
  // A session that is over is found out by the first call that it is refused.
  if (
    error instanceof CommonholdError &&
    error.reason === 'credentials_invalid' &&
    !error.operation.startsWith('session.')
  )
    void queryClient.refetchQueries({ queryKey: sessionQuery.queryKey })
}
