/** The server as a process of its own: from the checkout, or bundled beside this program. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Failure } from './failures.ts'

/** As `npm start` has it: half of the memory, at the price of a few collections more. */
const NODE_OPTIONS = ['--max-semi-space-size=8']

/**
 * The engine of `dev` lives for minutes: what making its machine code a second time costs is earned back after some
 * thousands of calls (ADR 0023).
 */
const DEV_NODE_OPTIONS = [...NODE_OPTIONS, '--liftoff-only']

export function serverEntry(): string {
  const places = ['../server.js', '../server/main.ts'].map((place) => path.join(import.meta.dirname, place))
  const found = places.find((place) => existsSync(place))
  if (found === undefined)
    throw new Failure('broken', 'The server is not where it was installed.', 'Install commonhold again.')
  return found
}

/** Becomes the server: signals and supervisors reach it, and nothing else stays. */
export async function becomeServer(args: readonly string[]): Promise<number> {
  const all = [...NODE_OPTIONS, serverEntry(), ...args]
  if (process.platform !== 'win32' && process.execve !== undefined)
    process.execve(process.execPath, [process.execPath, ...all])
  const child = spawn(process.execPath, all, { stdio: 'inherit' })
  return (await endOf(child)).code ?? 1
}

export interface End {
  code: number | null
  signal: NodeJS.Signals | null
}

/** Rejects when it could not be started. */
export const endOf = (child: ChildProcess): Promise<End> =>
  new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve({ code, signal }))
  })

export interface DevServer {
  url: string
  /** Resolves when it has ended, whoever ended it. */
  ended: Promise<End>
  /** Where its time stands still from now on; only if it was started with a `CLOCK`. */
  setClock(time: string): Promise<void>
  stop(): Promise<void>
}

const START_MS_MAX = 60_000
const STOP_MS_MAX = 10_000

/**
 * Starts a server of our own on a free port. It gets these settings and none of the environment's, so that it never
 * touches a real database; it ends when this process does, however that ends.
 */
export async function startDevServer(settings: Readonly<Record<string, string>>, folder: string): Promise<DevServer> {
  const { PATH = '', HOME = '', SystemRoot = '', TEMP = '' } = process.env
  const child = spawn(process.execPath, [...DEV_NODE_OPTIONS, serverEntry()], {
    cwd: folder, // no .env of the project
    env: { PATH, HOME, SystemRoot, TEMP, HOST: '127.0.0.1', PORT: '0', ...settings },
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
    detached: true, // Ctrl-C is for the command; we end the server after it
  })
  const ended = endOf(child)
  let written = ''
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    written += chunk
  })
  // Whatever ends this process early must not leave the server with a folder that is being removed.
  const kill = () => child.kill('SIGKILL')
  process.prependOnceListener('exit', kill)
  const url = await urlOf(child, () => written)
  if (url === undefined) {
    kill()
    throw new Failure('broken', `The server did not start: ${written.trim().replace(/^commonhold: /, '')}`)
  }
  return {
    url,
    ended,
    async setClock(time) {
      const done = once(child, 'message')
      child.send({ clock: time })
      await done
    },
    async stop() {
      child.kill('SIGTERM')
      const inTime = await Promise.race([ended.then(() => true), sleep(STOP_MS_MAX, false, { ref: false })])
      if (!inTime) kill()
      await ended
      process.off('exit', kill)
    },
  }
}

/** The address that its banner names; none when it ends first, or takes too long. */
async function urlOf(child: ChildProcess, written: () => string): Promise<string | undefined> {
  for (const deadline = Date.now() + START_MS_MAX; Date.now() < deadline; await sleep(5)) {
    const url = /API +(\S+)\/v2/.exec(written())?.[1]
    if (url !== undefined || child.exitCode !== null || child.signalCode !== null) return url
  }
  return undefined
}
