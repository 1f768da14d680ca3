/**
 * The streams, the environment and the exit code of a command line. They are those of the process, unless a program runs
 * the command line within its own process: `run(['check', 'ada', 'document:roadmap'], io)`.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Readable, Writable } from 'node:stream'

/** A stream to write to; a terminal also has a width. */
export type OutputStream = Writable & { isTTY?: boolean; columns?: number }

export interface Io {
  stdin: Readable & { isTTY?: boolean }
  stdout: OutputStream
  stderr: OutputStream
  env: Readonly<Record<string, string | undefined>>
  /** How times are shown; absent: in UTC. */
  times?: 'utc' | 'local' | 'relative'
  /** Whether the command writes JSON, for a program that answers no questions. */
  isJson?: boolean
  /** Set by the command; undefined until it has ended. */
  exitCode?: number
}

/** Reads the streams late: Node opens each when it is first used. */
const PROCESS: Io = {
  get stdin() {
    return process.stdin
  },
  get stdout() {
    return process.stdout
  },
  get stderr() {
    return process.stderr
  },
  env: process.env,
}

const current = new AsyncLocalStorage<Io>()

/** Returns the streams of the command line that is running. */
export const io = (): Io => current.getStore() ?? PROCESS

/** Runs work whose output, input and environment are these. */
export const withIo = <Value>(own: Io, work: () => Promise<Value>): Promise<Value> => current.run(own, work)
