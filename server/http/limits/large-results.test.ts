/** Reads with large results: one at a time for each operation of a tenant, and nothing else waits. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, it } from 'vitest'
import { LargeResults } from './large-results.ts'

const LARGE = 'x'.repeat(300_000)

/** Makes responses that take a few milliseconds, and counts the greatest number under way at once. */
function responseMaker(response: string) {
  let underWay = 0
  const seen = { most: 0 }
  const make = async () => {
    seen.most = Math.max(seen.most, ++underWay)
    await sleep(5)
    underWay--
    return response
  }
  return { make, seen }
}

const times = <T>(count: number, call: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, call))

describe('large results', () => {
  it('of one tenant are made one at a time, once one of them was large', async () => {
    const results = new LargeResults()
    const { make, seen } = responseMaker(LARGE)
    await results.make('a', 'events.list', make)
    const responses = await times(5, () => results.make('a', 'events.list', make))
    assert.equal(seen.most, 1)
    assert.ok(responses.every((response) => response === LARGE))
  })

  it('do not delay other operations or other tenants', async () => {
    const results = new LargeResults()
    const large = responseMaker(LARGE)
    await results.make('a', 'events.list', large.make)
    for (const [tenant, operation] of [
      ['a', 'documents.get'],
      ['b', 'events.list'],
    ] as const) {
      const other = responseMaker('small')
      await times(5, () => results.make(tenant, operation, other.make))
      assert.equal(other.seen.most, 5)
    }
  })

  it('stay one at a time when a small one comes in between', async () => {
    const results = new LargeResults()
    await results.make('a', 'events.list', responseMaker(LARGE).make)
    await results.make('a', 'events.list', responseMaker('small').make)
    const { make, seen } = responseMaker(LARGE)
    await times(5, () => results.make('a', 'events.list', make))
    assert.equal(seen.most, 1)
  })

  it('release the turn when one fails, and rethrow its error', async () => {
    const results = new LargeResults()
    await results.make('a', 'events.list', responseMaker(LARGE).make)
    const failing = () => Promise.reject(new Error('failed'))
    await assert.rejects(results.make('a', 'events.list', failing), /failed/)
    assert.equal(await results.make('a', 'events.list', responseMaker(LARGE).make), LARGE)
  })

  it('of several tenants are made concurrently', async () => {
    const results = new LargeResults()
    const { make, seen } = responseMaker(LARGE)
    const tenants = ['a', 'b', 'c']
    for (const tenant of tenants) await results.make(tenant, 'events.list', make)
    await Promise.all(tenants.map((tenant) => results.make(tenant, 'events.list', make)))
    assert.equal(seen.most, 3)
  })
})
