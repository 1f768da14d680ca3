/** Tracks whether the server responds: every call reports its outcome here. */
import { useSyncExternalStore } from 'react'
import { CommonholdError } from '#sdk/errors.ts'

const UNREACHABLE_REASONS: readonly string[] = ['unreachable', 'timed_out', 'gateway_failed']

let reachable = true
const listeners = new Set<() => void>()

function set(value: boolean): void {
  if (reachable === value) return
  reachable = value
  for (const listener of listeners) listener()
}

export function reportError(error: unknown): void {
  if (!(error instanceof CommonholdError)) return
  set(!UNREACHABLE_REASONS.includes(error.reason))
}

export const reportSuccess = (): void => set(true)

export const useReachable = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => reachable,
  )
