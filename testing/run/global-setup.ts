/**
 * Runs before the first test: starts a PostgreSQL for the run, and creates a database with the schema, which tests
 * copy, and the embedded template.
 */
import { databaseClock } from '#platform/clock.ts'
import { migrate } from '#platform/db/migrate.ts'
import { openPostgres } from '#platform/db/postgres.ts'
import { makeTemplate } from '#platform/db/template.ts'
import { startOwnPostgres, startPostgres } from './postgres.ts'
import { openScratch, TEMPLATE_DATABASE } from './scratch.ts'

/** With `TEST_BUCKETS`, buckets are on three servers, and home databases on the first of them. */
const MORE_SERVERS = process.env.TEST_BUCKETS === 'true' ? 2 : 0

export default async function setup(): Promise<() => Promise<void>> {
  const removeScratch = openScratch()
  const more = Array.from({ length: MORE_SERVERS }, () => startOwnPostgres({ fsync: false }))
  const [postgres, , ...others] = await Promise.all([startPostgres({ fsync: false }), makeTemplate(), ...more])
  const servers = [postgres, ...others]
  await Promise.all(servers.map(({ url }) => migrateTemplate(url)))
  // The workers inherit these variables.
  process.env.TEST_DATABASE_URL = postgres.url
  if (postgres.socket !== undefined) process.env.TEST_DATABASE_SOCKET = postgres.socket
  process.env.TEST_BUCKET_SERVERS = JSON.stringify(servers.map(({ url, socket }) => ({ url, socket })))
  return async () => {
    await Promise.all(servers.map((server) => server.stop()))
    removeScratch()
  }
}

/** A database with the schema in it, for the tests to copy. */
async function migrateTemplate(baseUrl: string): Promise<void> {
  const base = await openPostgres(baseUrl, databaseClock, { connections: 2, statementTimeoutMs: 60_000 })
  await base.script(`drop database if exists ${TEMPLATE_DATABASE}`)
  await base.script(`create database ${TEMPLATE_DATABASE}`)
  await base.close()
  const url = new URL(baseUrl)
  url.pathname = `/${TEMPLATE_DATABASE}`
  const db = await openPostgres(url.href, databaseClock, { connections: 2, statementTimeoutMs: 60_000 })
  await migrate(db)
  await db.close()
}
