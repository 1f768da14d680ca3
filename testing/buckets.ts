/**
 * `TEST_BUCKETS=true`: the data sets of all API keys are in a bucket, so that every behaviour test shows that no call needs its database
 * and the home database in one statement or transaction (ADR 0066).
 */
import type { Clock } from '#platform/clock.ts'
import type { Db } from '#platform/db/db.ts'
import { openPostgres } from '#platform/db/postgres.ts'
import { createSealer } from '#platform/secrets/seal.ts'
import { databaseOf, tablesWhere } from '#tenancy/tables.ts'
import { urlContext } from '../server/buckets/directory.ts'
import { SEPARATE } from '../server/buckets/prepare.ts'
import { createDatabase, MASTER_KEY, type ServerOfRun } from './databases.ts'

export const IN_BUCKETS = process.env.TEST_BUCKETS === 'true'

const SERVERS: ServerOfRun[] = JSON.parse(process.env.TEST_BUCKET_SERVERS ?? '[]')
let turns = process.pid

export interface TestBucket {
  name: string
  db: Db
  remove: () => Promise<void>
  setDown: (isDown: boolean) => Promise<void>
}

/** Adds a bucket that accepts new keys to a home database, on the PostgreSQL servers of the run by turns. */
export async function addBucket(home: Db, clock: Clock, name = 'tested'): Promise<TestBucket> {
  const { url, viaSocket, ...database } = await createDatabase(SERVERS[turns++ % SERVERS.length])
  const db = await openPostgres(viaSocket, clock, { connections: 10, statementTimeoutMs: 60_000, bucket: name })
  await db.script(SEPARATE)
  const sealed = createSealer(MASTER_KEY).seal(url, urlContext(name))
  await home.query('insert into buckets (name, url_sealed) values ($1, $2)', [name, sealed])
  return { name, db, ...database }
}

const OF_HOME = new RegExp(
  `\\b(?:${tablesWhere(() => true)
    .filter((table) => databaseOf(table) === 'home')
    .join('|')})\\b`,
)

/** Both databases have events of a workspace and responses to its calls. */
const OF_BOTH = /\bfrom (?:events where workspace_id|idempotency_keys where caller)\b/

type Row = { changedAt?: Date }

const inOrder = (rows: readonly unknown[]): Row[] =>
  (rows as Row[]).toSorted((one, other) => (one.changedAt?.getTime() ?? 0) - (other.changedAt?.getTime() ?? 0))

/** The home database and the bucket behind each database that `eitherDatabase` returned. */
const partsOf = new WeakMap<Db, readonly Db[]>()

/** Returns the home database and the bucket of a test server, or its only database. */
export const databasesOf = (db: Db): readonly Db[] => partsOf.get(db) ?? [db]

/** Returns a database that runs each SQL text of a test in the database that has its tables. */
export function eitherDatabase(home: Db, bucket: Db): Db {
  const of = (text: string) => (OF_HOME.test(text) ? home : bucket)
  const either = new Proxy(bucket, {
    get(target, name) {
      if (name === 'query')
        return async (text: string, values?: unknown[]) => {
          const found = await of(text).query(text, values)
          return OF_BOTH.test(text)
            ? { rows: inOrder([...(await home.query(text, values)).rows, ...found.rows]) }
            : found
        }
      if (name === 'script') return (text: string) => of(text).script(text)
      if (name === 'run')
        return (statement: { text: string }, values?: unknown[]) => of(statement.text).run(statement as never, values)
      const value = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  partsOf.set(either, [home, bucket])
  return either
}

/** Returns a database that stays open when the server that uses it stops: tests examine what the server has left. */
export const withoutClose = (db: Db): Db =>
  new Proxy(db, {
    get(target, name) {
      const value = name === 'close' ? async () => {} : Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
