/** Runs the server as operators do: as it is packaged, in a process of its own, on a store that outlives the process. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { databaseClock } from '#platform/clock.ts'
import type { Db } from '#platform/db/db.ts'
import { openEmbedded } from '#platform/db/embedded.ts'
import { openPostgres } from '#platform/db/postgres.ts'
import { ROOT } from '../../scripts/root.ts'
import { cleanUp } from '../clean-up.ts'
import { type Client, createClient } from '../client.ts'
import { patient } from '../run/mode.ts'
import { scratch } from '../run/scratch.ts'
import { createDatabase, ENGINE, MASTER_KEY } from '../server.ts'
import { ensureCommonhold } from './build.ts'

const MAIN = path.join(ROOT, 'cli/dist/server.js')
await ensureCommonhold()

const START_TIMEOUT_MS = patient(60_000)

/** The server's cache of compiled code. */
const COMPILED = path.join(import.meta.dirname, '../../node_modules/.cache/commonhold/compiled')

/** The environment of a server. */
export type Settings = Readonly<Record<string, string>>

export interface Exit {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}

export interface Process {
  readonly child: ChildProcess
  /** The output so far. */
  readonly output: { stdout: string; stderr: string }
  /** Resolves when the process has exited and all its output was read. */
  readonly exited: Promise<Exit>
  /** Sends a signal to this process alone and waits for its exit. */
  kill(signal: NodeJS.Signals): Promise<Exit>
}

export interface ServerProcess extends Process {
  readonly url: string
  readonly client: Client
  /** The time from the spawn until it reported ready. */
  readonly startMs: number
}

/** Disables the optimizing compiler of WebAssembly: the engine runs only for seconds, so optimized code does not pay off. */
const SHORT_LIVED = ['--liftoff-only']

/** Starts a script with only these settings. It is killed after the test that started it. `log`: an open file for what it writes. */
export function startScript(script: string, settings: Settings, args: readonly string[] = [], log?: number): Process {
  const child = spawn(process.execPath, [...SHORT_LIVED, script, ...args], {
    cwd: os.tmpdir(), // no .env file of ours
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: COMPILED, ...settings },
    stdio: ['ignore', log ?? 'pipe', 'pipe'],
  })
  const output = { stdout: '', stderr: '' }
  child.stdout?.setEncoding('utf8').on('data', (chunk) => {
    output.stdout += chunk
  })
  child.stderr?.setEncoding('utf8').on('data', (chunk) => {
    output.stderr += chunk
  })
  const exited = once(child, 'close').then(([code, signal]): Exit => ({ code, signal, ...output }))
  cleanUp(async () => {
    child.kill('SIGKILL')
    await exited
  })
  return {
    child,
    output,
    exited,
    kill(signal) {
      child.kill(signal)
      return exited
    },
  }
}

const DEFAULTS: Settings = { PORT: '0', SIGNUP: 'open', RATE_LIMIT_PUBLIC: '0', LOG_LEVEL: 'info' }

/** Starts the server without waiting. */
export const spawnServer = (
  settings: Settings,
  main: string = MAIN,
  args: readonly string[] = [],
  log?: number,
): Process => startScript(main, { ...DEFAULTS, ...settings }, args, log)

/** Starts the server on a free port and waits until it is ready. Throws with its output if it exits instead. */
export async function startProcess(settings: Settings, main?: string, log?: number): Promise<ServerProcess> {
  const started = performance.now()
  const server = spawnServer(settings, main, [], log)
  let over: Exit | undefined
  void server.exited.then((exit) => {
    over = exit
  })
  for (const deadline = started + START_TIMEOUT_MS; over === undefined && performance.now() < deadline; ) {
    const banner = /API +(\S+)\/v2\n.*?(?:Listens at (\S+)\n.*)?Stop with/s.exec(server.output.stderr)
    const url = banner?.[2] ?? banner?.[1]
    if (url !== undefined && (await isReady(url)))
      return { ...server, url, client: createClient(url), startMs: Math.round(performance.now() - started) }
    await sleep(5)
  }
  throw new Error(`the server did not start:\n${server.output.stderr}\n${server.output.stdout}`)
}

const isReady = (url: string): Promise<boolean> =>
  fetch(`${url}/readyz`).then(
    (answer) => answer.ok,
    () => false,
  )

/** Starts a server that is expected to refuse, and waits for its exit. */
export const refusedStart = (settings: Settings): Promise<Exit> => spawnServer(settings).exited

export interface Store {
  /** The settings with which a server opens the store. */
  settings: Settings
  /** Opens the store in this process. On the embedded engine the server must have exited. */
  open(): Promise<Db>
}

/** Creates a store of the engine under test, for successive server processes. It is removed after the test. */
export async function createLastingStore(): Promise<Store> {
  if (ENGINE === 'embedded') {
    const folder = temporaryFolder(scratch())
    return { settings: { DATA_DIR: folder }, open: () => openEmbedded(folder, databaseClock) }
  }
  const { url, remove } = await createDatabase()
  cleanUp(remove)
  return {
    settings: { DATABASE_URL: url, MASTER_KEY: MASTER_KEY.toString('base64') },
    open: () => openPostgres(url, databaseClock, { connections: 2, statementTimeoutMs: 60_000 }),
  }
}

/** Creates an empty folder that is removed after the test. */
export function temporaryFolder(root: string = os.tmpdir()): string {
  const folder = mkdtempSync(path.join(root, 'commonhold-test-'))
  cleanUp(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
