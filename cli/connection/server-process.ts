/** Runs the server as a separate process: from the checkout, or bundled with this program. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { Failure } from '../failures.ts'

/**
 * The same options as for `npm start`. They save memory. Half of this size would cost an eighth of the calls of a home
 * page (ADR 0037); one thread for compilation and collection instead of four costs no calls (ADR 0073).
 */
const NODE_OPTIONS = ['--max-semi-space-size=16', '--v8-pool-size=1']

/**
 * The engine of `dev` lives for minutes, and optimizing its machine code pays off only after some thousand calls
 * (ADR 0023).
 */
const DEV_NODE_OPTIONS = [...NODE_OPTIONS, '--liftoff-only']

function serverEntry(): string {
  const candidates = ['../../server.js', '../../server/main.ts'].map((file) => path.join(import.meta.dirname, file))
  const found = candidates.find((file) => existsSync(file))
  if (found === undefined)
    throw new Failure('broken', 'The server is missing from the installation.', 'Reinstall commonhold.')
  return found
}

/** Replaces this process by the server, so that signals and supervisors reach it directly. */
export async function becomeServer(args: readonly string[]): Promise<number> {
  const all = [...NODE_OPTIONS, serverEntry(), ...args]
  if (process.platform !== 'win32' && process.execve !== undefined)
    process.execve(process.execPath, [process.execPath, ...all])
  const child = spawn(process.execPath, all, { stdio: 'inherit' })
  return (await exitOf(child)).code ?? 1
}

/** Runs a command of the server, with the settings of an environment, and returns its output. */
export async function outputOfServer(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<{ stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [serverEntry(), ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), exitOf(child)])
  return { stdout, stderr }
}

interface ProcessExit {
  code: number | null
  signal: NodeJS.Signals | null
}

/** Waits for a process to exit. Rejects if it could not be started. */
export const exitOf = (child: ChildProcess): Promise<ProcessExit> =>
  new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve({ code, signal }))
  })

export interface DevServer {
  url: string
  /** Resolves when the process has exited, for any reason. */
  exited: Promise<ProcessExit>
  /** Moves the server's frozen time; only if it was started with a `CLOCK`. */
  setClock(time: string): Promise<void>
  stop(): Promise<void>
}

const START_MS_MAX = 60_000
const STOP_MS_MAX = 10_000

/**
 * Starts a server on a free port, with these settings and none of the environment's, so that it never touches a real
 * database. The server ends when this process ends in any way.
 */
export async function startDevServer(settings: Readonly<Record<string, string>>, folder: string): Promise<DevServer> {
  const { PATH = '', HOME = '', SystemRoot = '', TEMP = '' } = process.env
  const child = spawn(process.execPath, [...DEV_NODE_OPTIONS, serverEntry()], {
    cwd: folder, // no .env of the project
    env: { PATH, HOME, SystemRoot, TEMP, HOST: '127.0.0.1', PORT: '0', ...settings },
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
    detached: true, // Ctrl-C goes to the command; the server is stopped after it
  })
  const exited = exitOf(child)
  let written = ''
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    written += chunk
  })
  // If this process ends early, the server must end before its folder is removed.
  const kill = () => child.kill('SIGKILL')
  process.prependOnceListener('exit', kill)
  const url = await urlOf(child, () => written)
  if (url === undefined) {
    kill()
    throw new Failure('broken', `The server did not start: ${written.trim().replace(/^commonhold: /, '')}`)
  }
  return {
    url,
    exited,
    async setClock(time) {
      const done = once(child, 'message')
      child.send({ clock: time })
      await done
    },
    async stop() {
      child.kill('SIGTERM')
      const inTime = await Promise.race([exited.then(() => true), sleep(STOP_MS_MAX, false, { ref: false })])
      if (!inTime) kill()
      await exited
      process.off('exit', kill)
    },
  }
}

/** Where a server listens, by its banner: with `PUBLIC_URL`, callers reach it at another address. */
const LISTENING = /API +(\S+)\/v2\n.*?(?:Listens at (\S+)\n.*)?Stop with/s

/** Returns the address from the server's banner; undefined if it exits first or takes too long. */
async function urlOf(child: ChildProcess, written: () => string): Promise<string | undefined> {
  for (const deadline = Date.now() + START_MS_MAX; Date.now() < deadline; await sleep(5)) {
    const found = LISTENING.exec(written())
    const url = found?.[2] ?? found?.[1]
    if (url !== undefined || child.exitCode !== null || child.signalCode !== null) return url
  }
  return undefined
}
