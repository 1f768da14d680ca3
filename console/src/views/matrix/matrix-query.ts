/** Checks all pairs of users and documents of the matrix, a thousand per call, user after user. */
import { queryOptions } from '@tanstack/react-query'
import type { FolderSearch } from '../../links/searches.ts'
import { queryKeyOf } from '../../queries/keys/keys.ts'
import type { Key } from '../../session/session.ts'
import { emptyMatrix, type Matrix } from './load-matrix.ts'

/** A matrix whose checks are under way. Its first rows are complete. */
export interface Checking {
  part: number
  matrix: Matrix
  completeUsers: number
  /** The fraction of all pairs that was checked. */
  checkedFraction: number
}

const CHECKS_PER_CALL = 1_000
const CALLS_AT_ONCE = 4

/** Whether the checks of a matrix were stopped. */
export const isStoppedMatrix = ({ completeUsers, users }: Matrix): boolean => completeUsers < users.length

interface Controls {
  onProgress: (checking: Checking) => void
  /** Whether no more calls should be made. */
  isStopped: () => boolean
}

/**
 * `part` counts from 0: in each part there are up to a thousand documents. The users are in the order of their names, so
 * that rows are only added below those that `onProgress` has shown. If the checks were stopped, a refetch goes on with
 * them, unless access has changed since.
 */
export const matrixQuery = (key: Key, search: FolderSearch, part: number, { onProgress, isStopped }: Controls) => {
  const queryKey = queryKeyOf(key, 'matrix', search, part)
  return queryOptions({
    queryKey,
    queryFn: async ({ signal, client }): Promise<Matrix> => {
      const query = client.getQueryCache().find<Matrix>({ queryKey })
      const { data: before, isInvalidated = true } = query?.state ?? {}
      // A success clears this mark and a cancellation restores it: both would hide a change that comes meanwhile.
      query?.setState({ isInvalidated: false })
      const matrix =
        before !== undefined && isStoppedMatrix(before) && !before.isOutdated && !isInvalidated
          ? before
          : await emptyMatrix(key, search, part, signal)
      const hasChanged = () => query?.state.isInvalidated ?? false
      signal.addEventListener('abort', () => {
        matrix.isOutdated ||= hasChanged()
      })
      const completeUsers = await checkAll(key, search, matrix, {
        ...{ signal, isStopped },
        onProgress: (checked) => onProgress({ part, matrix, ...checked }),
      })
      return { ...matrix, completeUsers, isOutdated: hasChanged() }
    },
    // Stale only after a change: it takes long to compute.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  })
}

interface Checks {
  signal: AbortSignal
  isStopped: () => boolean
  onProgress: (checked: Pick<Checking, 'completeUsers' | 'checkedFraction'>) => void
}

/** Checks the rows that are not complete, and returns how many are. */
async function checkAll(
  key: Key,
  { organizationId }: FolderSearch,
  { users, documents, cells, completeUsers }: Matrix,
  { signal, isStopped, onProgress }: Checks,
): Promise<number> {
  const count = users.length * documents.length
  let next = completeUsers * documents.length
  let checked = next
  /** Where the calls under way begin; they end in any order. */
  const underWay = new Set<number>()
  const complete = () => (count === 0 ? users.length : Math.floor(Math.min(next, ...underWay) / documents.length))
  const work = async () => {
    while (next < count && !isStopped()) {
      const start = next
      const end = Math.min(count, start + CHECKS_PER_CALL)
      next = end
      underWay.add(start)
      const checks = Array.from({ length: end - start }, (_, offset) => {
        const index = start + offset
        const userId = users[Math.floor(index / documents.length)]?.userId ?? ''
        const id = documents[index % documents.length]?.id ?? ''
        return { userId, resource: { type: 'document' as const, id, organizationId } }
      })
      const answer = await key.client.permissions.check({ checks }, { signal })
      for (const [offset, decision] of answer.checks.entries()) cells.set(start + offset, decision)
      underWay.delete(start)
      checked += end - start
      onProgress({ completeUsers: complete(), checkedFraction: checked / count })
    }
  }
  await Promise.all(Array.from({ length: CALLS_AT_ONCE }, work))
  return complete()
}
