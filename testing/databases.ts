/** Databases on the PostgreSQL of a test run. */
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import type { TestPostgres } from './run/postgres.ts'
import { TEMPLATE_DATABASE } from './run/scratch.ts'

/** The master key of the servers of tests. */
export const MASTER_KEY = Buffer.alloc(32, 7)

/** A PostgreSQL with the migrated template; `socket` is the folder of its socket, if it is ours. */
export type ServerOfRun = Pick<TestPostgres, 'url' | 'socket'>

/** The PostgreSQL of this run. With `TEST_BUCKETS`, others have some of the buckets (`testing/buckets.ts`). */
function mainServer(): ServerOfRun {
  const { TEST_DATABASE_URL: url, TEST_DATABASE_SOCKET: socket } = process.env
  if (url === undefined) throw new Error('TEST_DATABASE_URL is not set: run the tests with `npm test` or `npx vitest`')
  return { url, ...(socket !== undefined && { socket }) }
}

/**
 * Creates a database on a PostgreSQL of this run, as a copy of the migrated one. `viaSocket` is its URL for this
 * process; server processes use TCP.
 */
export async function createDatabase({ url: base, socket } = mainServer()): Promise<{
  url: string
  viaSocket: string
  remove: () => Promise<void>
  /** Ends all connections and refuses new ones, as if the server were down; or allows them again. */
  setDown: (isDown: boolean) => Promise<void>
}> {
  const name = `test_${randomBytes(6).toString('hex')}`
  const through = (database: string) => {
    const url = new URL(base)
    if (database !== '') url.pathname = `/${database}`
    const tcp = url.href
    if (socket !== undefined) url.searchParams.set('host', socket)
    return { tcp, viaSocket: url.href }
  }
  const admin = through('').viaSocket
  await run(
    admin,
    `create database ${name} template ${TEMPLATE_DATABASE}${socket === undefined ? '' : ' strategy file_copy'}`,
  )
  const { tcp, viaSocket } = through(name)
  return {
    ...{ url: tcp, viaSocket },
    remove: () => run(admin, `drop database ${name} with (force)`),
    async setDown(isDown) {
      await run(admin, `alter database ${name} with allow_connections ${!isDown}`)
      if (isDown) await run(admin, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`)
    },
  }
}

async function run(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
