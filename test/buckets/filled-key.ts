/** A server of this process with a key that has rows in every table, and an empty database on the PostgreSQL of the run for a bucket. */
import pg from 'pg'
import { openPostgres } from '#platform/db/postgres.ts'
import { SET_EXPECTED } from '#platform/db/sessions/sessions.ts'
import { createLog } from '#platform/log.ts'
import { cleanUp } from '#testing/clean-up.ts'
import { type Client, createInProcessClient } from '#testing/client.ts'
import { createDatabase } from '#testing/databases.ts'
import { createClock, MASTER_KEY } from '#testing/server.ts'
import { type Filled, fill } from '../../scripts/upgrade-fixture/fill.ts'
import { ask, questionsOf } from '../../scripts/upgrade-fixture/questions.ts'
import { buildApp } from '../../server/app.ts'
import { type KeyTable, tablesOfKey } from '../../server/buckets/key-move/data-set.ts'
import { readConfig } from '../../server/config.ts'

/** Creates both databases, for one file: a worker keeps this module, and the databases end with the file that created them. */
export async function createDatabases() {
  const [home, bucket] = await Promise.all([createDatabase(), createDatabase()])
  cleanUp(() => Promise.all([home.remove(), bucket.remove()]))
  const settings = { DATABASE_URL: home.url, MASTER_KEY: MASTER_KEY.toString('base64') }

  async function startServerToFill(more: Record<string, string> = {}) {
    const db = await openPostgres(home.viaSocket, createClock(), { connections: 10, statementTimeoutMs: 60_000 })
    const ofServer = readConfig({ PORT: '0', SIGNUP: 'open', RATE_LIMIT_PUBLIC: '0', ...settings, ...more })
    const app = await buildApp({ config: ofServer, masterKey: MASTER_KEY, db, log: createLog('error') })
    cleanUp(async () => {
      await app.stop()
      await db.close()
    })
    await app.http.listen({ host: '127.0.0.1', port: 0 })
    const client = createInProcessClient(app.http)
    return {
      ...{ app, db, client },
      /** Fills the database with a key, and deletes the rows of these tables. */
      async fill(forgotten: readonly string[]): Promise<Filled> {
        const filled = await fill(client, db)
        await db.script(forgotten.map((table) => `delete from ${table} where true`).join('; '))
        return filled
      },
    }
  }

  return {
    urls: { home: home.url, bucket: bucket.url },
    /** Settings of the command: calls have a short time limit. */
    config: readConfig({ ...settings, REQUEST_TIMEOUT_MS: '1000' }),
    startServerToFill,
  }
}

/** Returns calls that read everything of a key, and a function that makes them all. */
export function questionsAbout(client: Client, { callers, given }: Filled) {
  const questions = questionsOf(given)
  return { questions, answers: () => Promise.all(questions.map((question) => ask(client, callers, question))) }
}

/** Returns the text of an answer to compare, without fields of these names, and without the events that record the showing of a secret. */
export function comparable(answer: unknown, free: readonly string[]): string {
  const isFree = (name: string, value: unknown) =>
    free.includes(name) || /shown$/.test((value as { type?: string } | null)?.type ?? '')
  return JSON.stringify(answer, (name, value) =>
    Array.isArray(value) ? value.filter((one) => !isFree('', one)) : isFree(name, value) ? undefined : value,
  )
}

/** Connects to a database, and returns the result of `work` for the tables of a key there. */
export async function withTablesOf<Result>(
  url: string,
  apiKey: string,
  work: (tables: readonly KeyTable[], client: pg.Client) => Result | Promise<Result>,
): Promise<Result> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    await client.query(SET_EXPECTED)
    return await work(await tablesOfKey(client, apiKey), client)
  } finally {
    await client.end()
  }
}
