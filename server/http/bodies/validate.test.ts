/**
 * The validation of a body against its schema: every fault, in the caller's terms (rules/contract.md#faults-of-a-body,
 * rules/contract.md#unknown-fields).
 */
import assert from 'node:assert/strict'
import Type from 'typebox'
import { describe, it } from 'vitest'
import { StatusError } from '#platform/status-error.ts'
import { dataCheck } from './validate.ts'

const schema = Type.Object(
  {
    items: Type.Array(
      Type.Object(
        {
          itemId: Type.String({ minLength: 1, maxLength: 5 }),
          count: Type.Optional(Type.Union([Type.Integer({ minimum: 0, maximum: 9 }), Type.Null()])),
        },
        { additionalProperties: true, metadata: true },
      ),
      { maxItems: 300 },
    ),
    plain: Type.Optional(Type.Object({ flag: Type.Optional(Type.Boolean()) }, { additionalProperties: false })),
  },
  { additionalProperties: false },
)

/** Returns the messages of the refusal, or none. */
function messages(data: unknown, { strict = true, suspect = false } = {}): string[] {
  try {
    dataCheck(schema, strict)(data, suspect)
    return []
  } catch (error) {
    assert.ok(error instanceof StatusError && error.status === 'INVALID_ARGUMENT')
    const faults = error.details as { field: string; message: string }[]
    assert.equal(error.message, faults[0]?.message)
    for (const { field, message } of faults) assert.ok(message.startsWith(field || 'data'), message)
    return faults.map(({ message }) => message)
  }
}

describe('dataCheck', () => {
  it('accepts valid data, with metadata, and null where it is allowed', () => {
    assert.deepEqual(messages({ items: [{ itemId: 'a', count: null, color: { a: [1] } }], plain: {} }), [])
  })

  it('names every fault by its path', () => {
    assert.deepEqual(
      messages({ items: [{ itemId: 'a' }, { count: 10 }, { itemId: '' }], plain: { flag: 1, x: 2 } }).sort(),
      [
        'items[1].count must not be more than 9',
        'items[1].itemId is required',
        'items[2].itemId must not be empty',
        'plain.flag must be true or false',
        'plain.x is not a known field',
      ],
    )
  })

  it('reports one fault for a field that may be null', () => {
    assert.deepEqual(messages({ items: [{ itemId: 'a', count: 'x' }] }), ['items[0].count must be a whole number'])
  })

  it('counts characters, not UTF-16 code units', () => {
    assert.deepEqual(messages({ items: [{ itemId: '😀😀😀😀😀' }] }), [])
    assert.deepEqual(messages({ items: [{ itemId: '😀😀😀😀😀😀' }] }), [
      'items[0].itemId must not have more than 5 characters',
    ])
  })

  it('lists the first hundred of many faults', () => {
    const items = Array.from({ length: 300 }, () => ({ itemId: 7 }))
    assert.equal(messages({ items }).length, 100)
  })

  it('refuses any number of unknown fields, also beside valid ones', () => {
    const unknown = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`unknown${index}`, 1]))
    for (const count of [1, 50, 99, 100, 101, 150, 1_000]) {
      assert.equal(messages({ items: [], ...unknown(count) }).length, Math.min(count, 100), `${count} unknown fields`)
      assert.equal(messages({ items: [], plain: unknown(count) }).length, Math.min(count, 100))
      assert.deepEqual(messages({ items: [], plain: unknown(count), ...unknown(count) }, { strict: false }), [])
    }
    assert.equal(messages({ items: [], plain: unknown(99), ...unknown(99) }).length, 100)
  })

  it('reports no other fault of a list that is too long', () => {
    const items = Array.from({ length: 301 }, () => ({ itemId: 7 }))
    for (const strict of [true, false])
      assert.deepEqual(messages({ items }, { strict }), ['items must not have more than 300 items'])
  })

  it('lists the first hundred of many texts that cannot be stored', () => {
    const items = [{ itemId: 'a', texts: Array(200_000).fill('\0') }]
    assert.equal(messages({ items }, { suspect: true }).length, 100)
  })

  it('finds values that cannot be stored in every text and name of a marked body', () => {
    const data = { items: [{ itemId: 'a', meta: { 'x\0': ['y\ud800'] } }] }
    assert.equal(messages(data, { suspect: true }).length, 2)
  })

  it('with STRICT_FIELDS=false drops unknown fields, including names that every object inherits, but no metadata', () => {
    const data = {
      items: [{ itemId: 'a', role: 'author', color: 'red' }],
      plain: { x: 1, toString: 2 },
      constructor: 3,
    }
    assert.deepEqual(messages(data, { strict: false }), [])
    assert.deepEqual(data, { items: [{ itemId: 'a', role: 'author', color: 'red' }], plain: {} } as unknown)
    assert.deepEqual(messages({ items: [{ itemId: 7 }] }, { strict: false }), ['items[0].itemId must be a string'])
  })
})
