/** The database receives exactly the values that a set statement sends. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { afterAll, describe, it } from 'vitest'
import { createStore } from '#testing/server.ts'
import { setStatement } from './statement.ts'

interface Row {
  text: string | null
  flag: boolean | null
  count: number | null
  at: Date | null
  more: object | null
  req: number
}

const READ = setStatement<Row, Row>(
  'test.read',
  { text: 'text', flag: 'boolean', count: 'bigint', at: 'timestamptz', more: 'jsonb', req: 'int' },
  'select text, flag, count, at, more, req from $input order by ord',
)

const { db, remove } = await createStore()
afterAll(async () => {
  await db.close()
  await remove()
})

describe('rows of a set statement', () => {
  it('arrive unchanged: quotes, backslashes, braces, the word NULL, nulls, dates of the years 1 to 9999', async () => {
    const text = fc.oneof(
      fc.string({ unit: fc.constantFrom('"', '\\', ',', '{', '}', ' ', '\n', 'a', "'") }),
      fc.string({ unit: 'grapheme' }).map((any) => any.replaceAll('\0', '')),
      fc.constantFrom('', 'NULL', 'null', '{}', '__proto__'),
    )
    const row = fc.record(
      {
        text: fc.option(text),
        flag: fc.option(fc.boolean()),
        count: fc.option(fc.maxSafeInteger()),
        at: fc.option(fc.date({ noInvalidDate: true, min: new Date('0001-01-02'), max: new Date('9999-12-30') })),
        more: fc.option(fc.record({ text }, { noNullPrototype: true })),
        req: fc.constant(0),
      },
      { noNullPrototype: true },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 20 }), async (rows) => {
        assert.deepEqual(await db.runSet(READ, rows), rows)
      }),
      { numRuns: 60 },
    )
  })
})
