/** Responses have the same JSON as `JSON.stringify` writes, and long responses do not block the event loop while they are written. */
import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, it } from 'vitest'
import { atOnce } from '#contract/validation/steps.ts'
import { Abandoned } from '#platform/lifetime.ts'
import { jsonSteps, responseJson } from './response-json.ts'

const envelope = (data?: unknown) => ({ result: { status: 'success', message: 'Done.', data } })
const written = (data: object) => atOnce(jsonSteps(data)).toString()
const LONG = 'x'.repeat(20_000)
const records = (count: number) => Array.from({ length: count }, (_, nth) => ({ id: `${nth}`, text: LONG }))

describe('a response', () => {
  it('equals the output of JSON.stringify, whatever it contains', () => {
    const value = fc.anything({
      withDate: true,
      withNullPrototype: true,
      withUnicodeString: true,
      withObjectString: true,
      maxDepth: 6,
      values: [fc.string({ unit: 'binary' }), fc.double(), fc.boolean(), fc.constantFrom(null, undefined, LONG)],
    })
    fc.assert(
      fc.property(value, (data) => {
        assert.equal(written(envelope(data)), JSON.stringify(envelope(data)))
      }),
      { numRuns: 300 },
    )
  })

  it('that is long equals it too: a list, a list in an object, an empty list', () => {
    for (const data of [records(50), { events: records(50), next: 'é漢\u0001' }, { a: { b: records(50) } }, [], {}])
      assert.equal(written(envelope(data)), JSON.stringify(envelope(data)))
  })

  it('leaves the event loop to others while it is written', async () => {
    let ticks = 0
    let isDone = false
    const others = (async () => {
      for (; !isDone; ticks++) await setImmediate()
    })()
    const response = await responseJson('acme', envelope(records(3_000)), () => false)
    isDone = true
    await others
    assert.ok(response.length > 60_000_000 && ticks >= 3, `${ticks} turns of others`)
  })

  it('is not written to its end when its caller hangs up', async () => {
    let slices = 0
    const abandoned = responseJson('acme', envelope(records(3_000)), () => ++slices > 1)
    await assert.rejects(abandoned, Abandoned)
  })
})
