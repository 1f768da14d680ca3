/** The current time on pages: they are redrawn every few seconds, and when something on them expires. */
import { useSyncExternalStore } from 'react'

const TICK_MS = 10_000

let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined
const listeners = new Set<() => void>()

/** Redraws everything that shows times. */
export function drawTimes(): void {
  now = Date.now()
  for (const listener of listeners) listener()
}

function listen(listener: () => void): () => void {
  if (listeners.size === 0) now = Date.now()
  listeners.add(listener)
  timer ??= setInterval(() => {
    if (document.visibilityState === 'visible') drawTimes()
  }, TICK_MS)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** Returns the time of the last tick, in Unix milliseconds. */
export const useNow = (): number => useSyncExternalStore(listen, () => now)
