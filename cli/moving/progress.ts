/** How far an export or import is, on standard error. */
import { changingLine, isWatched } from '../progress.ts'
import { note } from '../terminal.ts'

/** A line that changes where somebody looks, and one now and then where nobody does. */
export function progressLine() {
  const line = changingLine()
  const everyMs = isWatched() ? 100 : 10_000
  let last = isWatched() ? 0 : performance.now()
  return {
    at(text: string): void {
      if (performance.now() - last < everyMs) return
      last = performance.now()
      line.say(text)
      if (!isWatched()) note(text)
    },
    end: line.end,
  }
}

export const counted = (count: number): string => count.toLocaleString('en')
export const size = (bytes: number): string =>
  bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`
