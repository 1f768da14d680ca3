/** The next release can make its own store for the upgrade test, and an empty database can run it as SQL. */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { it } from 'vitest'
import { TABLES } from '#tenancy/tables.ts'
import { cleanUp } from '#testing/clean-up.ts'
import { scratch } from '#testing/run/scratch.ts'
import { createStore } from '#testing/server.ts'
import { makeFixture } from '../../scripts/make-upgrade-fixture.ts'

it('restores the schema and rows of every table', async () => {
  const folder = mkdtempSync(path.join(scratch(), 'upgrade-fixture-'))
  await makeFixture(folder)
  const { db, remove } = await createStore()
  cleanUp(async () => {
    await db.close()
    await remove()
  })
  await db.script('drop schema public cascade; create schema public')
  await db.script(gunzipSync(readFileSync(path.join(folder, 'store.sql.gz'))).toString())
  const empty: string[] = []
  for (const table of Object.keys(TABLES))
    if ((await db.query(`select from ${table} limit 1`)).rows.length === 0) empty.push(table)
  assert.deepEqual(empty, [])
})
