/** Holds a `buckets` command between two of its steps, by locks, so that a test decides what happens there, however long that takes. */
import assert from 'node:assert/strict'
import pg from 'pg'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { cleanUp } from '#testing/clean-up.ts'
import { until } from '#testing/eventually.ts'
import { type Exit, type Process, startProcess } from '#testing/processes/process.ts'
import type { OwnPostgres } from '#testing/run/postgres.ts'
import { emptyDatabase, query, runCommand, settingsOf, spendNumbers, startCommand } from './bucket-world.ts'

export type Release = (how?: 'commit' | 'rollback', before?: string) => Promise<void>

/** Opens a transaction that keeps its locks. Returns a function that ends it, after another statement if one is given. */
export async function held(url: string, text: string): Promise<Release> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  await client.query(`begin; ${text}`)
  let isOver = false
  const end: Release = async (how = 'rollback', before = '') => {
    if (isOver) return
    isOver = true
    await client.query(`${before}; ${how}`).catch(() => {})
    await client.end()
  }
  cleanUp(end)
  return end
}

/**
 * Waits until the command has printed a line; fails if it ends without printing it. It checks often, because a test may
 * kill the command at that line.
 */
export async function said({ output, exited }: Process, line: RegExp): Promise<void> {
  let isOver = false
  void exited.then(() => {
    isOver = true
  })
  const isSaid = () => {
    if (line.test(output.stdout)) return true
    assert.ok(!isOver, `ended before ${line}: ${output.stdout}${output.stderr}`)
    return false
  }
  await until(String(line), isSaid, 2).catch((error: Error) => {
    throw new Error(`${error.message}; it has said: ${output.stdout}${output.stderr}`, { cause: error })
  })
}

/** Returns the sessions of a database in which a statement with this text waits for a lock. */
async function waiting(url: string, text: string): Promise<unknown[]> {
  const sessions = `
    select pid from pg_stat_activity
     where wait_event_type = 'Lock' and query like '%${text}%' and datname = current_database() and pid <> pg_backend_pid()`
  return (await query(url, sessions)).map(({ pid }) => pid)
}

export const isWaiting = async (url: string, text: string): Promise<boolean> => (await waiting(url, text)).length > 0

/** Kills a command whose statement waits for a lock. PostgreSQL ends that statement; a server may then wait for the same lock. */
export async function killWaiting(command: Process, url: string, text: string): Promise<Exit> {
  const sessions = await waiting(url, text)
  const exit = await command.kill('SIGKILL')
  const left = async () => (await waiting(url, text)).filter((pid) => sessions.includes(pid))
  await until('its statement to end', async () => (await left()).length === 0)
  return exit
}

/**
 * Starts a server with a key in the bucket `eu1`, which is on one PostgreSQL server and can move to another. `name` is
 * the name of its database, and of an empty one on the other server.
 */
export async function startBucket(name: string, servers: Record<'home' | 'from' | 'to', OwnPostgres>) {
  const [home, from, to] = [
    await emptyDatabase(servers.home, `${name}_home`),
    await emptyDatabase(servers.from, name),
    await emptyDatabase(servers.to, name),
  ]
  const server = await startProcess(settingsOf(home))
  await runCommand(home, 'create', 'eu1', '--url', from)
  const key = await server.client.newKey()
  await key.call(addOrganizations, { organizations: [{ organizationId: 'acme' }] })
  return { home, from, to, server, key }
}

/** Starts a move between two databases, and holds it while it copies, by a lock on a table that no call of a test uses. */
export async function heldInCopy(
  home: string,
  { from, to }: { from: string; to: string },
  ...args: string[]
): Promise<[Process, Release]> {
  // The command waits with its slot for transactions that are under way. The new database has its tables by then.
  const letBegin = await held(from, 'select pg_current_xact_id()')
  const command = startCommand(home, 'move', 'eu1', ...args)
  await until('the publication', async () => (await query(from, 'select from pg_publication')).length > 0)
  const letCopy = await held(to, 'lock table public.webhook_attempts in exclusive mode')
  await letBegin()
  await said(command, /[1-9]\d* of \d+ tables copied/)
  return [command, letCopy]
}

/** Starts a move, and holds it when everything is copied: by an old transaction of another database of the new server. */
export async function heldAfterCopy(home: string, { from, to }: { from: string; to: string }) {
  const elsewhere = new URL(to)
  elsewhere.pathname = '/postgres'
  const goOn = await held(elsewhere.href, 'select pg_current_xact_id()')
  const next = async (url: string) => {
    const [row] = await query(url, 'select pg_snapshot_xmax(pg_current_snapshot())::text as next')
    return Number(row?.next)
  }
  while ((await next(from)) <= (await next(to))) await spendNumbers(from, 5_000)
  const command = startCommand(home, 'move', 'eu1', '--to', to)
  await said(command, /Waiting for an old transaction of the new server/)
  return { command, goOn }
}

/** Locks the record in the new database, so that a command that has closed the old one cannot record that yet. */
export const LOCK_CLOSED = 'lock table public.schema_migrations in share update exclusive mode'

/** Starts a move, and holds it before the home database names the new one, which servers could use. */
export async function heldBeforeHome({ home, from, to }: { home: string; from: string; to: string }) {
  const [command, letCopy] = await heldInCopy(home, { from, to }, '--to', to)
  const letRecord = await held(to, LOCK_CLOSED)
  await letCopy()
  await said(command, /Writes waited/)
  const letSwitch = await held(home, 'select from bucket_moves for update')
  await letRecord()
  await until('the command to wait', () => isWaiting(home, 'bucket_moves'))
  return {
    command,
    letSwitch,
    /** Kills the command at this step. */
    async die() {
      await killWaiting(command, home, 'bucket_moves')
      await letSwitch()
    },
  }
}

export async function succeeded(command: Process): Promise<string> {
  const { code, stdout, stderr } = await command.exited
  assert.equal(code, 0, stdout + stderr)
  return stdout
}

/** Asserts that a command was refused with one sentence. */
export function refused({ code, stdout, stderr }: Exit, why: RegExp): void {
  assert.match(stderr, why, stdout)
  assert.ok(code === 4 || code === 5, `${code} ${stderr}`)
  assert.doesNotMatch(stderr.trim(), /\n/)
}
