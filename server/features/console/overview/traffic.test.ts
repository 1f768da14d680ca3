/** Counting the calls of the last hour by API key and minute. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { createTraffic } from './traffic.ts'

const MINUTE_MS = 60_000

describe('createTraffic', () => {
  let now = 10_000 * MINUTE_MS
  const traffic = createTraffic(() => now)
  const call = traffic.count

  it('counts by API key, minute and outcome', () => {
    for (const statusCode of [200, 200, 404, 503]) call('one', statusCode)
    now += MINUTE_MS
    call('one', 200)
    call('two', 500)
    assert.deepEqual(traffic.lastHour('one'), [
      { at: now - MINUTE_MS, answered: 2, refused: 1, failed: 1 },
      { at: now, answered: 1, refused: 0, failed: 0 },
    ])
    assert.deepEqual(traffic.lastHour('nobody'), [])
  })

  it('drops counts older than an hour, and evicts the least recently used keys', () => {
    now += 60 * MINUTE_MS
    assert.deepEqual(traffic.lastHour('one'), [])
    call('one', 200)
    for (let key = 0; key < 1_000; key++) call(`many ${key}`, 200)
    assert.deepEqual(traffic.lastHour('one'), [])
    assert.equal(traffic.lastHour('many 0').length, 1)
  })
})
