/** Shows progress on standard error: one line that changes in place on a terminal, and lines now and then elsewhere. */

import { setTimeout as sleep } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import stringWidth from 'fast-string-width'
import { io } from './io.ts'
import { colouredNote, eraseStatus, note, showStatus } from './terminal.ts'

const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const FRAME_MS = 80
const BAR_WIDTH_MAX = 40
/** Room for the text after the bar. */
const BAR_TEXT_WIDTH = 24
const POLL_MS = 250

/** Whether a person is likely to watch: standard error is a terminal, and not one of a CI job. */
const isWatched = (): boolean => io().stderr.isTTY === true && io().env.CI === undefined && io().env.TERM !== 'dumb'
const columns = (): number => io().stderr.columns || 80

interface StatusLine {
  update(text: string): void
  /** Erases the line. */
  clear(): void
}

/** Creates a line that shows the latest text only. It shows nothing unless standard error is watched. */
function statusLine(): StatusLine {
  return {
    update(text) {
      if (!isWatched()) return
      const fits = stringWidth(stripVTControlCharacters(text)) < columns()
      showStatus(fits ? text : `${stripVTControlCharacters(text).slice(0, columns() - 2)}…`)
    },
    clear: eraseStatus,
  }
}

/** Shows a spinner while the work runs. */
export async function withSpinner<Value>(message: string, work: () => Promise<Value>): Promise<Value> {
  const line = statusLine()
  let frame = 0
  const show = () => line.update(`${colouredNote('cyan', SPINNER[frame++ % SPINNER.length] ?? '')} ${message}`)
  show()
  const timer = setInterval(show, FRAME_MS)
  try {
    return await work()
  } finally {
    clearInterval(timer)
    line.clear()
  }
}

/** Returns a progress bar that fits the width of the terminal. */
function bar(percent: number): string {
  const width = Math.max(10, Math.min(BAR_WIDTH_MAX, columns() - BAR_TEXT_WIDTH))
  const full = Math.round((width * Math.min(100, Math.max(0, percent))) / 100)
  const rest = colouredNote('dim', '─'.repeat(width - full))
  return `${colouredNote('cyan', '━'.repeat(full))}${rest}`
}

/** Reads the state of a durable job until it has completed or failed, and shows the progress; returns the last state. */
export async function watchJob<Job extends { status: string; percent: number }>(
  read: () => Promise<Job>,
): Promise<Job> {
  const line = statusLine()
  let reported = ''
  for (;;) {
    const job = await read()
    if (job.status === 'completed' || job.status === 'failed') {
      line.clear()
      return job
    }
    const progress = `${job.status} ${job.percent} %`
    line.update(`${bar(job.percent)} ${progress}`)
    if (!isWatched() && progress !== reported) note(progress)
    reported = progress
    await sleep(POLL_MS)
  }
}

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
