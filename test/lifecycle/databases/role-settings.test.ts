/** Settings that an administrator gives the database or its user: none changes a value or fails a call, and a start that they prevent says what to set. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, test } from 'vitest'
import { databaseClock } from '#platform/clock.ts'
import type { Db } from '#platform/db/db.ts'
import { toStatusError } from '#platform/db/pg-errors.ts'
import { openPostgres } from '#platform/db/postgres.ts'
import { setStatement, statement } from '#platform/db/statement.ts'
import { cleanUp } from '#testing/clean-up.ts'
import { createLastingStore, refusedStart, type Settings } from '#testing/processes/process.ts'
import { ENGINE } from '#testing/server.ts'

const IDLE_MS = 300

/** Creates a database with a user of the same name, who owns it and has these settings. */
async function createDatabase(script: (name: string) => string): Promise<{ url: string; settings: Settings }> {
  const store = await createLastingStore()
  const url = new URL(store.settings.DATABASE_URL ?? '')
  const name = `${url.pathname.slice(1)}_set`
  const admin = await store.open()
  await admin.script(`create role ${name} login`)
  await admin.script(`create database ${name} owner ${name} template template0 encoding 'UTF8'`)
  await admin.script(script(name))
  cleanUp(async () => {
    await admin.script(`drop database ${name} with (force)`)
    await admin.script(`drop role ${name}`)
    await admin.close()
  })
  const { href } = Object.assign(url, { username: name, password: '', pathname: `/${name}` })
  return { url: href, settings: { ...store.settings, DATABASE_URL: href } }
}

async function openWith(script: (name: string) => string): Promise<Db> {
  const { url } = await createDatabase(script)
  const db = await openPostgres(url, databaseClock, { connections: 1, statementTimeoutMs: 60_000 })
  cleanUp(() => db.close())
  return db
}

/** Nothing notices meanwhile that a connection was closed. */
const blockFor = (ms: number): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

const echo = setStatement<{ value: unknown }, { value: string | null }>(
  'test.echo-text',
  { value: 'text' },
  'select value from $input order by ord',
)
const one = statement<{ one: number }>('test.one', 'select 1 as one')

describe.skipIf(ENGINE !== 'postgres')('settings of the database and its user', () => {
  test('do not turn an absent value into a text', async () => {
    const db = await openWith((name) => `alter role ${name} set array_nulls = off`)
    const rows = [{ value: null }, { value: 'NULL' }, { value: 'ada' }]
    assert.deepEqual(await db.runSet(echo, rows), rows)
  })

  test('do not end a connection that waits for its next call', async () => {
    const db = await openWith((name) => `alter role ${name} set idle_session_timeout = '${IDLE_MS}ms'`)
    for (let round = 0; round < 3; round++) {
      assert.deepEqual(await db.run(one), [{ one: 1 }])
      await sleep(1) // the connection is back in the pool
      blockFor(2 * IDLE_MS)
    }
  })

  test('make calls UNAVAILABLE while the user may not log in, and no longer', async () => {
    const store = await createLastingStore()
    const admin = await store.open()
    cleanUp(() => admin.close())
    const { url } = await createDatabase(() => 'select 1')
    const db = await openPostgres(url, databaseClock, { connections: 2, statementTimeoutMs: 60_000 })
    cleanUp(() => db.close())
    const name = new URL(url).username
    const setLogin = (may: string) =>
      admin.script(
        `alter role ${name} ${may}; select pg_terminate_backend(pid) from pg_stat_activity where usename = '${name}'`,
      )
    await setLogin('nologin')
    for (let call = 0; call < 4; call++)
      await assert.rejects(db.run(one), (error) => toStatusError(error)?.status === 'UNAVAILABLE')
    await setLogin('login')
    assert.deepEqual(await db.run(one), [{ one: 1 }])
  })

  test('make a start without the TLS that it needs say at once what to set', async () => {
    const { settings } = await createDatabase(() => 'select 1')
    const url = new URL(`${settings.DATABASE_URL}?sslmode=verify-full`)
    const sentence =
      /does not support SSL connections; turn on ssl in PostgreSQL, or remove sslmode from DATABASE_URL\./
    const { stderr } = await refusedStart({ ...settings, DATABASE_URL: url.href })
    assert.match(stderr, sentence)
    assert.doesNotMatch(stderr, /^Waiting/m)
  })

  for (const [what, script, sentence] of [
    [
      'is read-only',
      (name: string) => `alter role ${name} set default_transaction_read_only = on`,
      /read-only transaction; set default_transaction_read_only to off for its user, the database and the server\./,
    ],
    [
      'leads to no schema',
      (name: string) => `alter role ${name} set search_path = app`,
      /no schema has been selected to create in; .* a schema that its search_path names: grant usage, create on schema/,
    ],
    [
      'has too few connections',
      (name: string) => `alter role ${name} connection limit 1`,
      /too many connections .*; let PostgreSQL, or the pooler before it, accept more connections\./,
    ],
  ] as const)
    test(`make a start on a database that ${what} say what to set`, async () => {
      const { settings } = await createDatabase(script)
      const { code, stderr } = await refusedStart(settings)
      assert.match(stderr, sentence)
      assert.equal(code, 1)
    })
})
