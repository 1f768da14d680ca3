/** Shows the progress of an export or import on standard error. */
import { isWatched, statusLine } from '../progress.ts'
import { note } from '../terminal.ts'

/** Updates one line if standard error is watched; otherwise prints a line every ten seconds. */
export function progressLine() {
  const line = statusLine()
  const everyMs = isWatched() ? 100 : 10_000
  let last = isWatched() ? 0 : performance.now()
  return {
    update(text: string): void {
      if (performance.now() - last < everyMs) return
      last = performance.now()
      line.update(text)
      if (!isWatched()) note(text)
    },
    clear: line.clear,
  }
}

export const counted = (count: number): string => count.toLocaleString('en')
export const size = (bytes: number): string =>
  bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`
