/** Runs a PgBouncer of this machine before the PostgreSQL of the tests: `PGBOUNCER_PATH`, or the first one of `PATH` and `/usr/sbin`. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import pg from 'pg'
import { cleanUp } from '../clean-up.ts'
import { eventually } from '../eventually.ts'
import { serverUser } from '../run/postgres.ts'
import { freePort } from './free-port.ts'
import { temporaryFolder } from './process.ts'

const candidates = [
  process.env.PGBOUNCER_PATH ?? '',
  ...[...(process.env.PATH ?? '').split(path.delimiter), '/usr/sbin'].map((folder) => path.join(folder, 'pgbouncer')),
]
const PROGRAM = candidates.find((program) => program !== '' && existsSync(program))

/** The version of PgBouncer, or undefined if this machine has none. */
export const PGBOUNCER: string | undefined =
  PROGRAM && /[\d.]+/.exec(execFileSync(PROGRAM, ['--version'], { encoding: 'utf8' }))?.[0]

export interface PgBouncer {
  /** The URL of a database through it. */
  through(url: string): string
  /** Changes settings while it runs. */
  reload(settings: Readonly<Record<string, string>>): Promise<void>
  /** Kills PgBouncer, and starts another one at the same address. */
  restart(): Promise<void>
}

/** Starts PgBouncer on a free port, in front of the server of a URL. */
export async function startPgBouncer(url: string, given: Readonly<Record<string, string>>): Promise<PgBouncer> {
  const { hostname, port: serverPort, username } = new URL(url)
  const folder = temporaryFolder()
  const user = serverUser()
  if (user !== undefined) chownSync(folder, user.uid, user.gid)
  const port = await freePort()
  const file = path.join(folder, 'pgbouncer.ini')
  const write = (settings: Readonly<Record<string, string>>) => {
    const all = {
      ...{ listen_addr: '127.0.0.1', listen_port: String(port), unix_socket_dir: '', auth_type: 'any' },
      ...{ admin_users: username, logfile: path.join(folder, 'log'), ...settings },
    }
    const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`)
    const database = `* = host=${hostname} port=${serverPort} user=${username}`
    writeFileSync(file, ['[databases]', database, '[pgbouncer]', ...lines, ''].join('\n'))
  }
  const admin = async (command: string) => {
    const client = new pg.Client({ host: '127.0.0.1', port, user: username, database: 'pgbouncer' })
    client.on('error', () => {})
    await client.connect()
    await client.query(command).finally(() => client.end())
  }
  const launch = async (): Promise<ChildProcess> => {
    const bouncer = spawn(PROGRAM ?? '', [file], { ...user, stdio: 'ignore' })
    await eventually('PgBouncer', () =>
      admin('show version').then(
        () => true,
        () => undefined,
      ),
    )
    return bouncer
  }
  write(given)
  let bouncer = await launch()
  const end = async () => {
    const exited = once(bouncer, 'exit')
    bouncer.kill('SIGKILL')
    await exited
  }
  cleanUp(end)
  return {
    through(database) {
      const at = new URL(database)
      at.port = String(port)
      at.hostname = '127.0.0.1'
      return at.href
    },
    async reload(settings) {
      write({ ...given, ...settings })
      await admin('reload')
    },
    async restart() {
      await end()
      bouncer = await launch()
    },
  }
}
