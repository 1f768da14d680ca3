/**
 * Real servers for tests: the app on a free port, on the engine of the test project (`TEST_ENGINE`). Time is the
 * database's until a test sets the clock.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import path from 'node:path'
import { listeningUrl } from '#http/server.ts'
import type { Clock } from '#platform/clock.ts'
import type { Db } from '#platform/db/db.ts'
import { openEmbedded } from '#platform/db/embedded.ts'
import { migrate } from '#platform/db/migrate.ts'
import { openPostgres } from '#platform/db/postgres.ts'
import { templateFolder } from '#platform/db/template.ts'
import { createLog } from '#platform/log.ts'
import { buildApp } from '../server/app.ts'
import { type Config, readConfig } from '../server/config.ts'
import { addBucket, eitherDatabase, IN_BUCKETS, withoutClose } from './buckets.ts'
import { afterThisFile, cleanUp } from './clean-up.ts'
import { type Client, createInProcessClient } from './client.ts'
import { createDatabase, MASTER_KEY } from './databases.ts'
import { scratch } from './run/scratch.ts'

export { createDatabase, MASTER_KEY } from './databases.ts'

export type Engine = 'embedded' | 'postgres'
export const ENGINE: Engine = process.env.TEST_ENGINE === 'postgres' ? 'postgres' : 'embedded'

export interface TestClock extends Clock {
  /** Null: the database's own time. */
  set(now: Date | null): void
}

/** The server that files share. Its clock cannot be set, because work that was leased in the future would not be claimed again later. */
export interface TestServer {
  url: string
  config: Config
  db: Db
  /**
   * Goes through the whole pipeline of a request but has no socket, because sockets were a quarter of the tests' work.
   * Where sockets matter, `createClient(url)` uses them, as do the client, the command line, the console and all tests
   * of processes.
   */
  client: Client
  /** A new workspace with a new API key: a data set of its own. */
  newKey(): Promise<Client>
}

export interface OwnServer extends TestServer {
  clock: TestClock
  /** The database with which other apps serve the same store; `db` unless keys are in buckets. */
  home: Db
  /** `look` examines what the server has left in the database. */
  stop(look?: (db: Db) => Promise<void>): Promise<void>
}

/** No server listens at this address, so tests do not depend on the DNS of the machine. */
const NO_DNS = '127.0.0.1:9'

/** The servers of this worker that several files share, by their settings. */
const shared = new Map<string, Promise<OwnServer>>()

/**
 * Returns the server that all test files of this worker share: API keys isolate them from each other. A server with
 * settings is shared only by the tests of one file, because an idle server polls its database until the run ends. A
 * test that sets the clock, examines whole tables, stops the server or depends on limits of an address starts its own
 * with `startServer`.
 */
export function sharedServer(settings: Record<string, string> = {}): Promise<TestServer> {
  const key = JSON.stringify(settings)
  const known = shared.get(key)
  if (known !== undefined) return known
  const starting = launch(settings)
  shared.set(key, starting)
  if (Object.keys(settings).length > 0)
    afterThisFile(async () => {
      shared.delete(key)
      await (await starting).stop()
    })
  return starting
}

/**
 * Starts a server on a store of its own; it stops after the test or, when started outside of one, after the file.
 * `settings` are environment variables; `through` makes the database that the server sees.
 */
export async function startServer(
  settings: Record<string, string> = {},
  through: (db: Db) => Db = (db) => db,
): Promise<OwnServer> {
  const server = await launch(settings, through)
  cleanUp(() => server.stop())
  return server
}

async function launch(settings: Record<string, string>, through: (db: Db) => Db = (db) => db): Promise<OwnServer> {
  const clock = createClock()
  const { db, remove } = await createStore(clock)
  const config = readConfig({ PORT: '0', SIGNUP: 'open', RATE_LIMIT_PUBLIC: '0', DNS_SERVERS: NO_DNS, ...settings })
  const bucket = IN_BUCKETS && ENGINE === 'postgres' ? await addBucket(db, clock) : undefined
  const app = await buildApp(
    { config, masterKey: MASTER_KEY, db: through(db), log: createLog(process.env.TEST_LOG_LEVEL ?? 'error') },
    bucket && (async () => withoutClose(through(bucket.db))),
  )
  await app.http.listen({ host: '127.0.0.1', port: config.PORT })
  const url = listeningUrl(app.http, '127.0.0.1')
  const client = createInProcessClient(app.http)
  let stopped = false
  return {
    url,
    config,
    db: bucket === undefined ? db : eitherDatabase(db, bucket.db),
    home: db,
    clock,
    client,
    newKey: () => client.newKey(),
    async stop(look) {
      if (stopped) return
      stopped = true
      await app.stop()
      await look?.(bucket === undefined ? db : eitherDatabase(db, bucket.db))
      await db.close()
      await bucket?.db.close()
      await bucket?.remove()
      await remove()
    },
  }
}

/** An empty, migrated store of the engine under test. */
export async function createStore(clock: Clock = createClock()): Promise<{ db: Db; remove: () => Promise<void> }> {
  if (ENGINE === 'embedded') {
    const folder = mkdtempSync(path.join(scratch(), 'commonhold-test-'))
    const db = await openEmbedded(folder, clock, templateFolder())
    await migrate(db)
    return { db, remove: async () => rmSync(folder, { recursive: true, force: true }) }
  }
  const { viaSocket, remove } = await createDatabase()
  return { db: await openPostgres(viaSocket, clock, { connections: 10, statementTimeoutMs: 60_000 }), remove }
}

export function createClock(): TestClock {
  let current: Date | null = null
  return {
    now: () => current,
    set(now) {
      current = now
    },
  }
}
