/** Users that are named inline keep every field of the caller, within the bounds of metadata (rules/contract.md#inline-users). */
import assert from 'node:assert/strict'
import Type from 'typebox'
import { it } from 'vitest'
import { JsonObject, JsonValue } from '../core/fields.ts'
import { LIMITS } from '../core/limits.ts'
import { faultFinder } from '../validation/findings.ts'
import { UserRef } from './user-refs.ts'

const faults = faultFinder(
  Type.Object({
    from: UserRef,
    changes: Type.Optional(JsonObject('Any.')),
    value: Type.Optional(JsonValue('Any.')),
  }),
)
const fields = (data: object) => faults({ from: { userId: 'ada' }, ...data }, false).map(({ field }) => field)

it('accepts a user id alone, and any other fields beside it', () => {
  assert.deepEqual(fields({}), [])
  const from = {
    userId: 'ada',
    name: 'Ada',
    email: 'ada@example.com',
    accessRole: 'viewer',
    isAdmin: true,
    teams: [{ id: 1 }],
  }
  assert.deepEqual(fields({ from }), [])
})

it('refuses a user without an id, with a wrong type or with an invalid URL', () => {
  assert.deepEqual(fields({ from: { name: 'Ada' } }), ['from.userId'])
  assert.deepEqual(fields({ from: { userId: 'ada', name: 1 } }), ['from.name'])
  assert.deepEqual(fields({ from: { userId: 'ada', photoUrl: 'javascript:alert(1)' } }), ['from.photoUrl'])
})

it('bounds users and other values of the caller as metadata', () => {
  const long = 'x'.repeat(LIMITS.metadataBytesMax)
  const many = Object.fromEntries(Array.from({ length: LIMITS.metadataKeysMax + 1 }, (_, index) => [`f${index}`, 1]))
  let deep: unknown = 1
  for (let level = 0; level <= LIMITS.metadataDepthMax; level++) deep = [deep]
  assert.deepEqual(fields({ from: { userId: 'ada', long } }), ['from'])
  assert.deepEqual(fields({ from: { userId: 'ada', ...many } }), ['from'])
  for (const changes of [{ long }, many, { deep }]) assert.deepEqual(fields({ changes }), ['changes'])
  for (const value of [long, [long], { long }, deep, [deep]]) assert.deepEqual(fields({ value }), ['value'])
  for (const value of [null, 'x', 7, true, [1, null], {}, { a: [] }]) assert.deepEqual(fields({ value }), [])
})
