/** Cleaning `X-Forwarded-For`: only addresses remain, without the ports that some proxies add. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { keepAddresses } from './forwarded-for.ts'

describe('X-Forwarded-For', () => {
  const cases: [sent: string, kept: string | undefined][] = [
    ['203.0.113.7', '203.0.113.7'],
    ['198.51.100.1, 203.0.113.7 ,127.0.0.1', '198.51.100.1, 203.0.113.7, 127.0.0.1'],
    ['203.0.113.7:51224', '203.0.113.7'],
    ['[2001:db8::1]:51224', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['2001:db8::1', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1%eth0'],
    ['forged, 198.51.100.1, 203.0.113.7:80', '198.51.100.1, 203.0.113.7'],
    ['198.51.100.1, unknown, 203.0.113.7', '203.0.113.7'],
    ['203.0.113.7, unknown', undefined],
    ['203.000.113.007', undefined],
    ['203.0.113.7:', undefined],
    ['203.0.113.7:x', undefined],
    [' , ', undefined],
    ['', undefined],
  ]
  for (const [sent, kept] of cases)
    it(`${JSON.stringify(sent)} becomes ${kept ?? 'nothing'}`, () => {
      const headers = { 'x-forwarded-for': sent }
      keepAddresses(headers)
      assert.equal(headers['x-forwarded-for'], kept)
    })
})
