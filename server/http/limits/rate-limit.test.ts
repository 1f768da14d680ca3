/** The key that calls are counted under: an API key, an IPv4 address, a /64 of IPv6 addresses. And when a limit ends. */
import assert from 'node:assert/strict'
import { afterEach, describe, it, vi } from 'vitest'
import type { StatusError } from '#platform/status-error.ts'
import { FailedCredentials } from './failed-credentials.ts'
import { rateLimit, rateLimitKey } from './rate-limit.ts'

describe('rateLimitKey', () => {
  const cases: [who: string, counted: string][] = [
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::ffff:cb00:7107', '203.0.113.7'],
    ['::FFFF:0.0.0.1', '0.0.0.1'],
    ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002:0:0:0:9', '2001:db8:1:2::/64'],
    ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
    ['2001:db8::1:0:0:1', '2001:db8:0:0::/64'],
    ['2001:db8::203.0.113.7', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['0e1f8a1c-key', '0e1f8a1c-key'],
    ['unknown', 'unknown'],
  ]
  for (const [who, counted] of cases) it(`counts ${who} as ${counted}`, () => assert.equal(rateLimitKey(who), counted))
})

describe('a limit', () => {
  afterEach(() => void vi.useRealTimers())

  it('ends after its window, also if the clock of the machine is set back meanwhile', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const limit = rateLimit('address', 1, 60)
    const reply = { getHeader: () => undefined, header: () => reply } as never
    const failures = new FailedCredentials(1)
    const shown = { address: '203.0.113.7', account: 'a', credential: 'c' }
    const calls = [() => limit.consume('203.0.113.7', reply), () => failures.attempt(shown, async () => undefined)]
    for (const call of calls) await call()
    vi.setSystemTime(Date.now() - 86_400_000)
    for (const call of calls) {
      const refused = ({ reason, retryAfterSeconds = 0 }: StatusError) =>
        reason === 'rate_limited' && retryAfterSeconds <= 60
      await assert.rejects(call, refused)
    }
  })
})
