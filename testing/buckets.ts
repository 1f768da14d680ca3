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
import { SEPARATE } from '../server/buckets/open.ts'
import { bySocket, createDatabase, MASTER_KEY } from './databases.ts'

export const IN_BUCKETS = process.env.TEST_BUCKETS === 'true'

/** Adds a bucket, which takes all new keys, to a home database. */
export async function addBucket(
  home: Db,
  clock: Clock,
): Promise<{ name: string; db: Db; remove: () => Promise<void> }> {
  const name = 'tested'
  const { url, remove } = await createDatabase()
  const db = await openPostgres(bySocket(url), clock, { connections: 10, statementTimeoutMs: 60_000, bucket: name })
  await db.script(SEPARATE)
  const sealed = createSealer(MASTER_KEY).seal(url, urlContext(name))
  await home.query('insert into buckets (name, url_sealed) values ($1, $2)', [name, sealed])
  return { name, db, remove }
}

const OF_HOME = new RegExp(
  `\\b(?:${tablesWhere(() => true)
    .filter((table) => databaseOf(table) === 'home')
    .join('|')})\\b`,
)

/** The events of a workspace are in both. */
const OF_BOTH = /\bfrom events where workspace_id\b/

/** Returns a database that runs the texts of tests where their tables are. */
export function eitherDatabase(home: Db, bucket: Db): Db {
  const of = (text: string) => (OF_HOME.test(text) ? home : bucket)
  return new Proxy(bucket, {
    get(target, name) {
      if (name === 'query')
        return async (text: string, values?: unknown[]) => {
          const found = await of(text).query(text, values)
          return OF_BOTH.test(text) ? { rows: [...(await home.query(text, values)).rows, ...found.rows] } : found
        }
      if (name === 'script') return (text: string) => of(text).script(text)
      if (name === 'run')
        return (statement: { text: string }, values?: unknown[]) => of(statement.text).run(statement as never, values)
      const value = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
