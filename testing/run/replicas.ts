/** Starts a PostgreSQL primary with streaming standbys, which tests kill, promote and let follow another primary. */
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
  rmSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import pg from 'pg'
import { cleanUp } from '../clean-up.ts'
import { until } from '../eventually.ts'
import { freePort } from '../processes/free-port.ts'
import { answering, installBinaries, serverUser } from './postgres.ts'
import { scratch } from './scratch.ts'

/** The data need not survive a failure of the machine, only the processes that a test kills. */
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  fsync: 'off',
  max_connections: 60,
  shared_buffers: '32MB',
  wal_keep_size: '512MB',
  wal_receiver_status_interval: '1s',
  wal_retrieve_retry_interval: '200ms',
}

/** A folder of binaries other than those of the npm package, such as `/usr/lib/postgresql/15/bin`. */
const BINARIES = process.env.POSTGRES_BINARIES ?? path.join(installBinaries(), 'bin')

/** Sends a signal to all processes of a PostgreSQL server. Each is the leader of its own group. */
export function signalServer(postmaster: number, signal: NodeJS.Signals): void {
  const file = `/proc/${postmaster}/task/${postmaster}/children`
  const children = existsSync(file) ? readFileSync(file, 'utf8').split(' ').filter(Boolean).map(Number) : []
  // The signal goes to the parent first, so that it notices nothing. Without `/proc`, the other processes end by
  // themselves soon after it.
  for (const pid of [postmaster, ...children])
    try {
      process.kill(pid, signal)
    } catch {} // it has just ended
}

export class Replica {
  readonly name: string
  readonly port: number
  readonly #data: string
  readonly #user = serverUser()
  #server: ChildProcess | undefined

  constructor(folder: string, name: string, port: number) {
    this.name = name
    this.port = port
    this.#data = path.join(folder, name)
  }

  get url(): string {
    return `postgres://postgres@127.0.0.1:${this.port}/postgres`
  }

  create(): void {
    const how = ['-D', this.#data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-locale']
    execFileSync(path.join(BINARIES, 'initdb'), how, { ...this.#user, stdio: 'pipe' })
  }

  /** Copies the running primary, and follows it from the next start on. */
  async copy(primary: Replica): Promise<void> {
    rmSync(this.#data, { recursive: true, force: true })
    const client = new pg.Client({ connectionString: primary.url })
    await client.connect()
    await client.query("select pg_backup_start('copy', true)")
    cpSync(primary.#data, this.#data, {
      recursive: true,
      filter: (source) => !/postmaster\.(pid|opts)$|[/\\]pg_wal[/\\].|standby\.signal$/.test(source),
    })
    const { rows } = await client.query('select labelfile from pg_backup_stop()')
    await client.end()
    mkdirSync(path.join(this.#data, 'pg_wal/archive_status'), { recursive: true })
    writeFileSync(path.join(this.#data, 'backup_label'), rows[0].labelfile)
    this.follow(primary)
    if (this.#user !== undefined)
      execFileSync('chown', ['-R', `${this.#user.uid}:${this.#user.gid}`, this.#data], { stdio: 'pipe' })
    chmodSync(this.#data, 0o700)
  }

  /** Follows a primary from the next start on. */
  follow(primary: Replica): void {
    writeFileSync(path.join(this.#data, 'standby.signal'), '')
    writeFileSync(
      path.join(this.#data, 'postgresql.auto.conf'),
      `primary_conninfo = 'host=127.0.0.1 port=${primary.port} user=postgres application_name=${this.name}'\n`,
    )
  }

  /** Starts it. `settings` are added to its configuration, such as `synchronous_standby_names`. */
  async start(settings: Readonly<Record<string, string>> = {}): Promise<void> {
    const launched = () =>
      this.#launch(settings).then(
        () => true,
        (error: Error) => {
          if (/pre-existing shared memory block/.test(error.message)) return false // killed processes are still there
          throw error
        },
      )
    await until(`start of ${this.name}`, launched)
  }

  async #launch(settings: Readonly<Record<string, string>>): Promise<void> {
    const all = { ...SETTINGS, port: this.port, unix_socket_directories: path.dirname(this.#data), ...settings }
    const options = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const server = spawn(path.join(BINARIES, 'postgres'), ['-D', this.#data, ...options], {
      ...this.#user,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const output: string[] = []
    server.stderr?.on('data', (chunk) => output.push(String(chunk)))
    this.#server = server
    await answering(this.url, server, output)
  }

  /** Kills all its processes at once. */
  async kill(): Promise<void> {
    await this.#end(() => signalServer(this.#server?.pid ?? 0, 'SIGKILL'))
  }

  /** Stops the server in an orderly way: standbys get everything before it ends. */
  async stop(): Promise<void> {
    await this.#end(() => this.#server?.kill('SIGINT'))
  }

  /** Stops receiving from its primary. */
  async leave(): Promise<void> {
    await this.query("alter system set primary_conninfo = ''")
    await this.query('select pg_reload_conf()')
    await until(`${this.name} receives nothing`, async () => {
      return (await this.query('select from pg_stat_wal_receiver')).length === 0
    })
  }

  async promote(): Promise<void> {
    await this.query('select pg_promote()')
  }

  /** Makes every commit wait for the standby. */
  async waitFor(standby: Replica): Promise<void> {
    await this.query(`alter system set synchronous_standby_names = '${standby.name}'`)
    await this.query('select pg_reload_conf()')
    await this.streamedBy(standby, 'sync')
  }

  async query(text: string, values: unknown[] = [], url = this.url): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    try {
      return (await client.query(text, values)).rows
    } finally {
      await client.end()
    }
  }

  /** Waits until a standby streams from this primary, synchronously if the primary asks for it. */
  async streamedBy(standby: Replica, state: 'sync' | 'async' = 'async'): Promise<void> {
    await until(`${standby.name} streams from ${this.name}`, async () => {
      const text = `select from pg_stat_replication where application_name = $1 and state = 'streaming' and sync_state = $2`
      return (await this.query(text, [standby.name, state])).length > 0
    })
  }

  async #end(signal: () => unknown): Promise<void> {
    const server = this.#server
    this.#server = undefined
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return
    const exited = once(server, 'exit')
    this.#server = server
    signal()
    this.#server = undefined
    await exited
  }
}

/** Returns replicas whose first is an empty primary that is not started. They are removed after the test. */
export async function createReplicas(count: number): Promise<[Replica, Replica, ...Replica[]]> {
  const folder = mkdtempSync(path.join(scratch(), 'commonhold-replicas-'))
  const user = serverUser()
  if (user !== undefined) chownSync(folder, user.uid, user.gid)
  const replicas: Replica[] = []
  for (let index = 0; index < count; index++) replicas.push(new Replica(folder, `replica${index}`, await freePort()))
  cleanUp(async () => {
    await Promise.all(replicas.map((replica) => replica.kill().catch(() => {})))
    rmSync(folder, { recursive: true, force: true })
  })
  replicas[0]?.create()
  return replicas as [Replica, Replica, ...Replica[]]
}

/** Starts replicas: the first is the primary, from which the others stream asynchronously. */
export async function startReplicas(count: 2): Promise<[primary: Replica, standby: Replica]>
export async function startReplicas(count: 3): Promise<[primary: Replica, standby: Replica, other: Replica]>
export async function startReplicas(count: number): Promise<Replica[]> {
  const [primary, ...standbys] = await createReplicas(count)
  await primary.start()
  for (const standby of standbys) {
    await standby.copy(primary)
    await standby.start()
    await primary.streamedBy(standby)
  }
  return [primary, ...standbys]
}

/** Returns the URL that names all of them. */
export const urlOf = (replicas: readonly { port: number }[]): string =>
  `postgres://postgres@${replicas.map(({ port }) => `127.0.0.1:${port}`).join(',')}/postgres?target_session_attrs=read-write`
