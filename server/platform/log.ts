/** Writes logs as JSON lines, or as text on a terminal. Bodies and headers are never logged: they hold secrets. */
import { writeSync } from 'node:fs'
import { type DestinationStream, type Logger, pino } from 'pino'

export type Log = Logger

/**
 * How long a line waits for a reader that is slow. The process does nothing else meanwhile, so a reader that stays slow
 * may hold it for a hundredth of the time.
 */
const WAIT_MS = 10
const WAITS_MAX = 100
const MS_PER_WAIT = 100 * WAIT_MS

/**
 * Writes lines to an open file, whole and in order. While its disk is full or nobody reads it, lines are dropped instead
 * of ending the process, or holding it at its exit; the next line that is written says how many.
 */
export function linesTo(fd: number): DestinationStream {
  let dropped = 0
  /** The end of a line of which the disk had room for the beginning. */
  let rest = Buffer.alloc(0)
  let waits = WAITS_MAX
  let countedAt = performance.now()

  function mayWait(): boolean {
    const now = performance.now()
    waits = Math.min(waits + (now - countedAt) / MS_PER_WAIT, WAITS_MAX)
    countedAt = now
    if (waits < 1) return false
    waits--
    return true
  }

  /** Returns how many of the bytes were written. */
  function append(bytes: Buffer, waiting: boolean): number {
    let written = 0
    while (written < bytes.length)
      try {
        written += writeSync(fd, bytes, written)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || !waiting || !mayWait()) return written
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAIT_MS)
      }
    return written
  }

  return {
    write(line) {
      rest = rest.subarray(append(rest, false))
      const missing = `{"level":40${pino.stdTimeFunctions.epochTime()},"dropped":${dropped},"msg":"lines of the log could not be written"}\n`
      const bytes = Buffer.from(dropped === 0 ? line : missing + line)
      const written = rest.length > 0 ? 0 : append(bytes, dropped === 0)
      if (written === 0) dropped++
      else {
        dropped = 0
        rest = bytes.subarray(written)
      }
    },
  }
}

/** Returns where the process writes its log: text for people if standard output is a terminal; anywhere else JSON lines, for programs. */
export async function standardDestination(): Promise<DestinationStream> {
  if (!process.stdout.isTTY) return linesTo(1)
  // Loaded only here: programs that read the log never need it.
  const { default: pretty } = await import('pino-pretty')
  return pretty({ singleLine: true, translateTime: 'SYS:HH:MM:ss', ignore: 'reqId' })
}

/** Returns a log that writes to `destination`. */
export const createLog = (level: string, destination: DestinationStream = linesTo(1)): Log =>
  pino(
    {
      level,
      base: null,
      serializers: {
        req: ({ id, method, url, ip }) => ({ id, method, path: String(url).split('?', 1)[0], ip }),
        res: ({ statusCode }) => ({ statusCode }),
        err: ({ name, message, code, stack, cause }) => ({ name, message, code, stack, cause: cause?.message }),
      },
    },
    destination,
  )
