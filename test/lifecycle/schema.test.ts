/** The schema is migrated to the version of the code: from empty, once, atomically, and never downwards. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeAll, describe, it } from 'vitest'
import type { Db } from '#platform/db/db.ts'
import { type Migration, migrate, readMigrations, SchemaMismatch, schemaIsCurrent } from '#platform/db/migrate.ts'
import { cleanUp } from '#testing/clean-up.ts'
import { createStore } from '#testing/server.ts'
import { ROOT } from '../../scripts/root.ts'

const known = readMigrations()
const last = known.at(-1)?.version ?? 0
const step = (offset: number, text: string): Migration => ({ version: last + offset, name: `step-${offset}`, text })

const FOLDER = path.join(ROOT, 'db/migrations')
const read = (file: string): string => readFileSync(path.join(FOLDER, file), 'utf8')

const EMPTY = 'drop schema public cascade; create schema public'
const RECORDS = `insert into schema_migrations (version, name)
                 values ${known.map(({ version, name }) => `(${version}, '${name}')`).join(', ')}`

describe('db/migrations', () => {
  it('has files numbered from 1 without a gap', () => {
    assert.deepEqual(
      known.map(({ version }) => version),
      known.map((_, index) => index + 1),
    )
  })

  it('keeps the files of `db/migrations/checksums` unchanged, from the first on', () => {
    const listed = read('checksums')
      .trim()
      .split('\n')
      .map((line) => line.split('  '))
    const sums = listed.map(([, file = '']) => [createHash('sha256').update(read(file)).digest('hex'), file])
    assert.deepEqual(listed, sums, 'stores were made with this file: a change of the schema is a new file')
    assert.deepEqual(
      listed.map(([, file]) => file?.slice(0, 4)),
      known.slice(0, listed.length).map(({ version }) => String(version).padStart(4, '0')),
    )
  })
})

describe('migrate', () => {
  let db: Db
  beforeAll(async () => {
    const store = await createStore()
    db = store.db
    cleanUp(async () => {
      await db.close()
      await store.remove()
    })
  })
  /** Each test starts with the schema of the code, without changes of other tests. */
  afterEach(() => db.script(`drop table if exists a, b; delete from schema_migrations; ${RECORDS}`))
  const versions = async () => (await db.query('select version, name from schema_migrations order by version')).rows

  it('migrates an empty database once, also in concurrent calls, and records each migration', async () => {
    await db.script(EMPTY)
    const applied = await Promise.all(Array.from({ length: 6 }, () => migrate(db)))
    assert.deepEqual(
      applied.flat(),
      known.map(({ name }) => name),
    )
    assert.deepEqual(
      await versions(),
      known.map(({ version, name }) => ({ version, name })),
    )
    assert.equal(await schemaIsCurrent(db), true)
  })

  it('does nothing when there is nothing to do', async () => {
    assert.deepEqual(await migrate(db), [])
    assert.deepEqual(await migrate(db), [])
  })

  it('runs only the missing migrations, in order', async () => {
    const more = [
      ...known,
      step(1, 'create table a (n int)'),
      step(2, 'alter table a add column m int; insert into a values (1, 2)'),
    ]
    assert.deepEqual(await migrate(db, more), ['step-1', 'step-2'])
    assert.deepEqual((await db.query('select * from a')).rows, [{ n: 1, m: 2 }])
  })

  it('changes nothing when a migration fails', async () => {
    const before = await versions()
    const broken = [...known, step(1, 'create table a (n int)'), step(2, 'create table b (n nonsense)')]
    await assert.rejects(migrate(db, broken), { code: '42704' })
    assert.deepEqual(await versions(), before)
    assert.deepEqual((await db.query(`select to_regclass('a') as a`)).rows, [{ a: null }])
    assert.deepEqual(await migrate(db), [])
  })

  it('refuses a schema with additions that a migration cannot work with, and says what to remove', async () => {
    await migrate(db, [...known, step(1, 'create table a (n int, m int)')])
    const later = (text: string) => [...known, step(1, ''), step(2, text)]
    await db.script('create view report as select n from a; alter table a add column k int')
    cleanUp(() => db.script('drop view if exists report'))
    const before = await versions()
    for (const text of [
      'alter table a drop column n',
      'alter table a alter column n type text',
      'alter table a add column k int',
    ])
      await assert.rejects(
        migrate(db, later(text)),
        (error) =>
          error instanceof SchemaMismatch &&
          /cannot be upgraded: migration \d+ \(step-2\) failed: .*\. Nothing was changed\. Remove .* views/.test(
            error.message,
          ),
      )
    assert.deepEqual(await versions(), before)
    await db.script('drop view report; alter table a drop column k')
    assert.deepEqual(await migrate(db, later('alter table a drop column n, add column k int')), ['step-2'])
  })

  it('refuses a schema that is newer than the code, and says what to run', async () => {
    await migrate(db, [...known, step(1, 'create table a (n int)')])
    await assert.rejects(
      migrate(db),
      (error) =>
        error instanceof SchemaMismatch && /version \d+, but .* only knows versions up to \d+;/.test(error.message),
    )
    assert.equal(await schemaIsCurrent(db), false)
  })

  it('refuses a store of an unreleased version, says what to do, and does not change it', async () => {
    await db.script(`
      delete from schema_migrations;
      insert into schema_migrations (version, name) values (1, 'workspaces'), (2, 'resources'), (3, 'users')`)
    const before = await versions()
    await assert.rejects(
      migrate(db),
      (error) =>
        error instanceof SchemaMismatch && /migration 1 is workspaces; .*commonhold export/.test(error.message),
    )
    assert.deepEqual(await versions(), before)
  })

  for (const [what, script] of Object.entries({
    'a table': 'create table users (n int); insert into users values (1)',
    'a type': `create type access_role as enum ('owner')`,
    'its own migrations': `create table schema_migrations (version text); insert into schema_migrations values ('1')`,
  }))
    it(`refuses a database where another program has ${what}, says what to do, and does not change it`, async () => {
      await db.script(EMPTY)
      await db.script(script)
      const tables = async () => (await db.query('select relname from pg_class order by oid desc limit 3')).rows
      const before = await tables()
      await assert.rejects(
        migrate(db),
        (error) =>
          error instanceof SchemaMismatch && /^Another program .* a database of its own, or a/.test(error.message),
      )
      assert.deepEqual(await tables(), before)
      await db.script(EMPTY)
      await migrate(db)
    })
})
