/** The schema comes up to the code: from nothing, once, in one piece, and never down. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import type { Db } from '#platform/db/db.ts'
import { type Migration, migrate, readMigrations, SchemaTooNew, schemaIsCurrent } from '#platform/db/migrate.ts'
import { createStore } from '../support/server.ts'

const known = readMigrations()
const last = known.at(-1)?.version ?? 0
const step = (offset: number, text: string): Migration => ({ version: last + offset, name: `step-${offset}`, text })

const EMPTY = 'drop schema public cascade; create schema public'

describe('migrate', () => {
  let db: Db
  let remove: () => Promise<void>
  beforeEach(async () => {
    ;({ db, remove } = await createStore())
  })
  afterEach(async () => {
    await db.close()
    await remove()
  })
  const versions = async () => (await db.query('select version, name from schema_migrations order by version')).rows

  it('has files numbered from 1 without a gap', () => {
    assert.deepEqual(
      known.map(({ version }) => version),
      known.map((_, index) => index + 1),
    )
  })

  it('brings an empty database up to date, and notes each step once', async () => {
    await db.script(EMPTY)
    assert.deepEqual(
      await migrate(db),
      known.map(({ name }) => name),
    )
    assert.deepEqual(
      await versions(),
      known.map(({ version, name }) => ({ version, name })),
    )
    assert.equal(await schemaIsCurrent(db), true)
  })

  it('lets keys whose URLs were stored before webhooks were sent begin with what happens next', async () => {
    await db.script(EMPTY)
    await migrate(db, known.slice(0, 19))
    await db.script(`
      insert into workspaces (workspace_id, name, owner_id, owner_email, owner_name, owner_avatar, token_hash, token_sealed)
      values ('w', '', '', '', '', '', '', '');
      insert into api_keys (api_key_id, workspace_id, type, name, owner_email, use_webhook_service, webhook_service_config)
      values ('on', 'w', 'testing', '', '', true, '{"rawNotificationUrl": "https://example.com/raw", "processedNotificationUrl": ""}'),
             ('off', 'w', 'testing', '', '', false, '{"rawNotificationUrl": "https://example.com/raw"}'),
             ('none', 'w', 'testing', '', '', true, '{}')`)
    await migrate(db)
    const { rows: endpoints } = await db.query(
      'select api_key_id, endpoint_id, kind, url, active from webhook_endpoints',
    )
    const url = 'https://example.com/raw'
    assert.deepEqual(endpoints, [{ api_key_id: 'on', endpoint_id: 'raw', kind: 'raw', url, active: true }])
    const { rows: followers } = await db.query('select consumer, api_key_id from event_followers')
    assert.deepEqual(followers, [{ consumer: 'webhooks', api_key_id: 'on' }])
  })

  it('does nothing when there is nothing to do', async () => {
    assert.deepEqual(await migrate(db), [])
    assert.deepEqual(await migrate(db), [])
  })

  it('runs only the steps that are missing, in their order', async () => {
    const more = [
      ...known,
      step(1, 'create table a (n int)'),
      step(2, 'alter table a add column m int; insert into a values (1, 2)'),
    ]
    assert.deepEqual(await migrate(db, more), ['step-1', 'step-2'])
    assert.deepEqual((await db.query('select * from a')).rows, [{ n: 1, m: 2 }])
  })

  it('runs each step once when called many times at once on an empty database', async () => {
    await db.script(EMPTY)
    const applied = await Promise.all(Array.from({ length: 6 }, () => migrate(db)))
    assert.deepEqual(
      applied.flat(),
      known.map(({ name }) => name),
    )
    assert.equal((await versions()).length, known.length)
  })

  it('leaves everything as it was when a step fails', async () => {
    const before = await versions()
    const broken = [...known, step(1, 'create table a (n int)'), step(2, 'create table b (n nonsense)')]
    await assert.rejects(migrate(db, broken), { code: '42704' })
    assert.deepEqual(await versions(), before)
    assert.deepEqual((await db.query(`select to_regclass('a') as a`)).rows, [{ a: null }])
    assert.deepEqual(await migrate(db), [])
  })

  it('refuses a schema that is newer than the code, and says what to run', async () => {
    await migrate(db, [...known, step(1, 'create table a (n int)')])
    await assert.rejects(
      migrate(db),
      (error) => error instanceof SchemaTooNew && /version \d+, .* knows \d+: run/.test(error.message),
    )
    assert.equal(await schemaIsCurrent(db), false)
  })
})
