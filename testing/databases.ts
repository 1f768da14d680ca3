/** Databases on the PostgreSQL of a test run. */
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { TEMPLATE_DATABASE } from './run/scratch.ts'

/** The master key of the servers of tests. */
export const MASTER_KEY = Buffer.alloc(32, 7)

/** A database of its own on the PostgreSQL of this run, copied from the migrated one. */
export async function createDatabase(
  base = process.env.TEST_DATABASE_URL,
): Promise<{ url: string; remove: () => Promise<void> }> {
  if (base === undefined) throw new Error('TEST_DATABASE_URL is not set: run the tests with `npm test` or `npx vitest`')
  const name = `test_${randomBytes(6).toString('hex')}`
  await admin(base, `create database ${name} template ${TEMPLATE_DATABASE}`)
  const url = new URL(base)
  url.pathname = `/${name}`
  return { url: url.href, remove: () => admin(base, `drop database ${name} with (force)`) }
}

/** Returns the URL of the same database through the socket of the PostgreSQL of this run. Processes of servers use TCP. */
export function bySocket(database: string): string {
  const { TEST_DATABASE_SOCKET } = process.env
  const url = new URL(database)
  if (TEST_DATABASE_SOCKET !== undefined) url.searchParams.set('host', TEST_DATABASE_SOCKET)
  return url.href
}

async function admin(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: bySocket(url) })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
