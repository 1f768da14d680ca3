/** Distinguishes the user's own changes from changes of others: a list shows own changes at once, and offers the changes of others. */
import { useSyncExternalStore } from 'react'
import { createListeners } from '../../listeners.ts'
import { CHANGING } from './rows.ts'

let changing = 0
let count = 0
const { listen, notify } = createListeners()

/** Runs the refetch after a change of one's own. */
export async function asOwnChange<Result>(refetch: () => Promise<Result>): Promise<Result> {
  changing++
  notify()
  try {
    return await refetch()
  } finally {
    changing--
    count++
    notify()
  }
}

/** Returns the number of one's own changes so far, or `CHANGING`. */
export const useOwnChanges = (): number => useSyncExternalStore(listen, () => (changing > 0 ? CHANGING : count))
