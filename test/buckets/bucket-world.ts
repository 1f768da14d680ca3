/** PostgreSQL servers with a home database and buckets, and the command that manages buckets. */
import assert from 'node:assert/strict'
import pg from 'pg'
import { getOrganizations } from '#contract/resources/organizations.ts'
import { cleanUp } from '#testing/clean-up.ts'
import type { Client } from '#testing/client.ts'
import { type Exit, type Process, type Settings, spawnServer } from '#testing/processes/process.ts'
import { type OwnPostgres, startOwnPostgres } from '#testing/run/postgres.ts'
import { MASTER_KEY } from '#testing/server.ts'

/** Starts a PostgreSQL server from which buckets can be moved; `settings` can change that. */
export async function startBucketPostgres(settings: Record<string, string | number> = {}): Promise<OwnPostgres> {
  const postgres = await startOwnPostgres({
    fsync: false,
    settings: {
      wal_level: 'logical',
      synchronous_commit: 'on',
      max_replication_slots: 60,
      max_wal_senders: 60,
      max_worker_processes: 60,
      ...settings,
    },
  })
  let stopped: Promise<void> | undefined
  const stop = () => (stopped ??= postgres.stop())
  cleanUp(stop)
  return { ...postgres, stop }
}

/** Creates an empty database; returns its URL. */
export async function emptyDatabase({ url }: OwnPostgres, name: string): Promise<string> {
  await query(url, `create database ${name}`)
  const own = new URL(url)
  own.pathname = `/${name}`
  return own.href
}

export async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

/** Uses up this many transaction numbers of the server, so that its counter is ahead of another server's. */
export const spendNumbers = (url: string, count: number) =>
  query(url, `do $$ begin for n in 1..${count} loop perform pg_current_xact_id(); commit; end loop; end $$`)

/** Whether a key is served: its database can be reached, and the server uses it. */
export const isServed = async (key: Client): Promise<boolean> =>
  (await key.post(getOrganizations.path, {})).http === 200

/** Prints lines for the reader of a soak. */
export const report = (...lines: string[]): void =>
  void ((process.env.TEST_REPORT || process.env.BUCKET_MOVES) && process.stdout.write(`${lines.join('\n')}\n`))

/** Responses after which a caller repeats the call, because it may or may not have been made. */
export const REPEATED: readonly number[] = [503, 504]

export const settingsOf = (home: string): Settings => ({
  DATABASE_URL: home,
  MASTER_KEY: MASTER_KEY.toString('base64'),
})

/** Calls have a short time limit, so that the move of a key soon deletes the old rows. */
export const SHORT_CALLS: Settings = { REQUEST_TIMEOUT_MS: '2000' }

/** Starts `commonhold buckets` with arguments. */
export const startCommand = (home: string, ...args: string[]): Process =>
  spawnServer({ ...settingsOf(home), ...SHORT_CALLS }, undefined, ['buckets', ...args])

/** Runs the command to its end; throws if it fails. */
export async function runCommand(home: string, ...args: string[]): Promise<Exit> {
  const exit = await startCommand(home, ...args).exited
  assert.equal(exit.code, 0, `${args.join(' ')}: ${exit.stderr}${exit.stdout}`)
  return exit
}
