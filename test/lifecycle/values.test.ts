/** Values of every type pass through set statements unchanged, on both engines. */
import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, it } from 'vitest'
import type { Db } from '#platform/db/db.ts'
import { type ColumnType, setStatement, statement } from '#platform/db/statement.ts'
import { createStore } from '#testing/server.ts'

const MOMENT = new Date('2030-01-02T03:04:05.678Z')

/** The sample values of each type; null is added to each. */
const VALUES: { [Type in ColumnType]: unknown[] } = {
  bigint: [0, -1, 2 ** 31, -(2 ** 31) - 1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER],
  boolean: [true, false],
  bytea: [Buffer.from([]), Buffer.from([0, 1, 0x5c, 0x27, 0xff])],
  int: [0, -(2 ** 31), 2 ** 31 - 1],
  jsonb: [
    {},
    { text: `"double" 'single' \\ \\" \n {curly} [square], NULL`, inner: { list: [1, null, 'x', { deep: true }] } },
    { none: null, amount: 1.5, big: 2 ** 40, empty: '' },
    { 'a "quoted" \\ name': 'ж 🔑' },
  ],
  text: ['', ' ', 'NULL', 'null', '{}', '{"a",b}', `"'\\`, 'a,b', '\n\t', 'ж 🔑 e\u0301'],
  timestamptz: [MOMENT, new Date(0), new Date('1900-01-01T00:00:00Z'), new Date('9999-12-31T23:59:59.999Z')],
  uuid: ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
  resource_kind: ['organization', 'folder', 'document'],
  access_role: ['viewer', 'commenter', 'editor'],
  access_type: ['public', 'organizationPrivate', 'restricted'],
}

describe('set statements', () => {
  let db: Db
  let remove: () => Promise<void>
  beforeAll(async () => {
    ;({ db, remove } = await createStore())
  })
  afterAll(async () => {
    await db.close()
    await remove()
  })

  for (const [type, values] of Object.entries(VALUES))
    it(`pass ${type} unchanged, with nulls at the start, in the middle and at the end`, async () => {
      const echo = setStatement<{ value: unknown }, { value: unknown }>(
        `test.echo-${type}`,
        { value: type as ColumnType },
        'select value from $input order by ord',
      )
      const rows = [null, ...values.flatMap((value) => [value, null])].map((value) => ({ value }))
      assert.deepEqual(await db.runSet(echo, rows), rows)
      assert.deepEqual(await db.runSet(echo, [{ value: null }]), [{ value: null }])
      assert.deepEqual(await db.runSet(echo, []), [])
    })

  it('keep the order of 5,000 distinct rows of several columns', async () => {
    const echo = setStatement<
      { aNumber: number; someText: string | null },
      { n: number; t: string | null; ord: number }
    >(
      'test.echo-many',
      { aNumber: 'bigint', someText: 'text' },
      'select a_number as n, some_text as t, ord from $input order by ord',
    )
    const rows = Array.from({ length: 5_000 }, (_, index) => ({
      aNumber: index * 1e9,
      someText: index % 3 === 0 ? null : `text ${index}`,
    }))
    const answer = await db.runSet(echo, rows)
    assert.deepEqual(
      answer,
      rows.map(({ aNumber, someText }, index) => ({ n: aNumber, t: someText, ord: index + 1 })),
    )
  })

  it('refuse a value that the type cannot hold, and continue', async () => {
    const echo = setStatement<{ value: unknown }, { value: number }>(
      'test.echo-small',
      { value: 'int' },
      'select value from $input',
    )
    await assert.rejects(db.runSet(echo, [{ value: 1 }, { value: 2 ** 31 }]), { code: /^22/ })
    assert.deepEqual(await db.runSet(echo, [{ value: 1 }]), [{ value: 1 }])
  })

  it('pass the time only if the text uses it', async () => {
    const timed = setStatement<{ n: number }, { now: Date | null }>(
      'test.timed',
      { n: 'int' },
      'select $now as now from $input',
    )
    assert.deepEqual(await db.runSet(timed, [{ n: 1 }]), [{ now: null }])
    const counted = statement<{ big: number }>('test.count', 'select count(*) + 4294967296 as big from (select 1) x')
    assert.deepEqual(await db.run(counted), [{ big: 4_294_967_297 }])
  })
})
