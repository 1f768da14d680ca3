/** When the daily mail of a user is sent: at eight in the morning in the user's time zone, also when its clocks change. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { nextDailyMail } from './times.ts'

const next = (timezone: string | null, now: string) => nextDailyMail(timezone, new Date(now)).toISOString()

describe('nextDailyMail', () => {
  it('is today before eight, and tomorrow from then on', () => {
    assert.equal(next('UTC', '2026-11-26T07:59:59Z'), '2026-11-26T08:00:00.000Z')
    assert.equal(next('UTC', '2026-11-26T08:00:00Z'), '2026-11-27T08:00:00.000Z')
    assert.equal(next('Asia/Tokyo', '2026-11-26T00:00:00Z'), '2026-11-26T23:00:00.000Z')
    assert.equal(next('America/New_York', '2026-11-26T12:00:00Z'), '2026-11-26T13:00:00.000Z')
  })

  it('is at eight also on days on which the clocks are changed', () => {
    assert.equal(next('Europe/Berlin', '2026-10-24T12:00:00Z'), '2026-10-25T07:00:00.000Z')
    assert.equal(next('Europe/Berlin', '2026-03-28T12:00:00Z'), '2026-03-29T06:00:00.000Z')
    assert.equal(next('Africa/Cairo', '2026-04-23T23:30:00Z'), '2026-04-24T05:00:00.000Z')
  })

  it('is in UTC if the zone is unknown', () => {
    for (const unknown of [null, '', 'Mars/Base', '12', 'Europe/Berlin\0', '2026-11-26[Asia/Tokyo]'])
      assert.equal(next(unknown, '2026-11-26T12:00:00Z'), '2026-11-27T08:00:00.000Z')
  })
})
