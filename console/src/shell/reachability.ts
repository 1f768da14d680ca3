/** Tracks whether the server responds: every call reports its outcome here. */
import { useSyncExternalStore } from 'react'
import { CommonholdError } from '#sdk/errors.ts'

const NO_ANSWER: readonly string[] = ['unreachable', 'timed_out', 'gateway_failed']

let reachable = true
const listeners = new Set<() => void>()

function set(value: boolean): void {
  if (reachable === value) return
  reachable = value
  for (const listener of listeners) listener()
}

export function noteFailure(error: unknown): void {
  if (!(error instanceof CommonholdError)) return
  set(!NO_ANSWER.includes(error.reason))
}

export const noteAnswer = (): void => set(true)

export const useReachable = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => reachable,
  )
