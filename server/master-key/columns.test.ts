/** A secret that a later version seals in another column must not be left out when secrets are sealed again. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { it } from 'vitest'
import { ROOT } from '../../scripts/root.ts'
import { nameOfColumn, SEALED_COLUMNS } from './columns.ts'

it('lists every column whose name says that it is sealed', () => {
  const schema = readFileSync(path.join(ROOT, 'db/schema.sql'), 'utf8')
  const there = [...schema.matchAll(/^CREATE TABLE (\w+) \(\n([^;]*)\);/gm)].flatMap(([, table, columns = '']) =>
    [...columns.matchAll(/^ {2}(\w+_sealed) bytea/gm)].map(([, column]) => `${table}.${column}`),
  )
  assert.deepEqual(SEALED_COLUMNS.map(nameOfColumn).sort(), there.sort())
})
