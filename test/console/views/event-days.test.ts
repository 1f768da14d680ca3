/** The days that group and filter events are those of the calendar where the browser is, also where summer time begins or ends. */
import assert from 'node:assert/strict'
import { afterAll, describe, it } from 'vitest'

const HOUR_MS = 3_600_000
const { TZ } = process.env

process.env.TZ = 'Europe/Berlin'
// The module reads the time zone when it is loaded, as in a browser.
const { byDay, dayName, rangeOf, startOfDay } = await import('../../../console/src/views/events/days.ts')
afterAll(() => {
  if (TZ === undefined) delete process.env.TZ
  else process.env.TZ = TZ
})

/** In 2026 summer time begins there on 29 March and ends on 25 October. */
const local = (text: string): number => new Date(text).getTime()

describe('a day', () => {
  it('begins at midnight, and has 23 or 25 hours when the clocks change', () => {
    const spring = local('2026-03-29T12:00')
    assert.equal(startOfDay(spring), local('2026-03-29T00:00'))
    assert.equal(startOfDay(spring, 1) - startOfDay(spring), 23 * HOUR_MS)
    const autumn = local('2026-10-25T12:00')
    assert.equal(startOfDay(autumn, 1) - startOfDay(autumn), 25 * HOUR_MS)
  })

  it('is a period of its own: yesterday ends where today begins', () => {
    const now = local('2026-03-30T00:30')
    assert.deepEqual(rangeOf('today', now), { from: local('2026-03-30T00:00') })
    assert.deepEqual(rangeOf('yesterday', now), { from: local('2026-03-29T00:00'), to: local('2026-03-30T00:00') })
    assert.deepEqual(rangeOf('7d', now), { from: local('2026-03-24T00:00') })
    assert.deepEqual(rangeOf(undefined, now), {})
  })

  it('groups its events, in the given order', () => {
    const times = ['2026-10-26T00:00', '2026-10-25T23:59', '2026-10-25T00:00', '2026-10-24T23:59'].map(local)
    const days = byDay(times, (at) => at)
    assert.deepEqual(
      days.map(({ rows }) => rows.length),
      [1, 2, 1],
    )
    const now = local('2026-10-26T08:00')
    const names = days.map(({ start }) => dayName(start, now))
    assert.deepEqual(names.slice(0, 2), ['Today', 'Yesterday'])
    assert.match(names[2] ?? '', /24/)
    assert.match(dayName(local('2025-10-24T08:00'), now), /2025/)
  })
})
