/** Replaces what differs from run to run in responses (ids, secrets, times) with values that look alike. */
import type { UsagePeriod } from '#contract/usage/usage.ts'
import type { WebhookHealth } from '#contract/webhooks/health.ts'
import { GIVEN } from './example-world.ts'

const AT_MS = Date.UTC(2027, 0, 4, 9)

/** The test message may have been tried already or not. */
const HEALTH: WebhookHealth = {
  ...{ status: 'delivering', attempts: 40, failures: 1, failingSince: null, waiting: 0, nextAttemptAt: null },
  ...{ lastSuccessAt: AT_MS, lastFailureAt: AT_MS, lastFailureStatus: 503, lastFailureError: null },
}

/** The counted amount varies. */
const USAGE = (period: string, startsAt: number): UsagePeriod => ({
  ...{ period, startsAt, calls: 18_204, refused: 31, failed: 0, checks: 52_911, webhooks: 240, mails: 12 },
  ...{ activeUsers: 96, organizations: 14, documents: 2_380, users: 310, threads: 77 },
})

const FIXED: readonly [RegExp, string][] = [
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, 'eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl'],
  [/\bchk_(?:test|live)_\w+/g, GIVEN.apiKey],
  [/\b(ch[tw])_\w{20,}/g, '$1_example'],
  [/"health":\{[^}]*\}/g, `"health":${JSON.stringify(HEALTH)}`],
  [/"prefix":"(ch[tw])_\w{4}"/g, '"prefix":"$1_exam"'],
  [/\{"period":"\d{4}-\d\d-\d\d"[^}]*\}/g, JSON.stringify(USAGE('2027-01-04', Date.UTC(2027, 0, 4)))],
  [/\{"period":"\d{4}-\d\d"[^}]*\}/g, JSON.stringify(USAGE('2027-01', Date.UTC(2027, 0)))],
  [/"periods":\[\]/g, `"periods":[${JSON.stringify(USAGE('2027-01', Date.UTC(2027, 0)))}]`],
  [/#link=[\w-]{43}/g, '#link=ZXhhbXBsZQ'],
  [/\bwhsec_[\w+/=]+/g, 'whsec_ZXhhbXBsZQ=='],
  [/\bep_\w+/g, GIVEN.endpointId],
  [/\bmsg_[\w-]+/g, GIVEN.messageId],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, GIVEN.id],
  [/\b[0-9a-f]{64}\b/g, '5a'.repeat(32)], // a signature
  [/\b[0-9a-f]{32}\b/g, GIVEN.id.replaceAll('-', '')],
  [/\bcommonhold-verification=[\w-]{43}/g, 'commonhold-verification=ZXhhbXBsZQ'],
  [/"[\w-]{43}"/g, '"ZXhhbXBsZQ"'], // a coordinate of a public key
  [/\bcaller\d+\.\d+\b/g, 'ada'],
  [/\bCaller\d+\.\d+\b/g, 'Ada'],
  [/http:\/\/127\.0\.0\.1:\d+/g, 'https://commonhold.example.com'],
  [/\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, new Date(AT_MS).toISOString()],
  [/\b\d{1,2} [A-Z][a-z]{2,3} 20\d\d, \d\d:\d\d\b/g, '4 Jan 2027, 09:00'], // in a mail
  [/\b1[78]\d{11}\b/g, String(AT_MS)],
  [/\b1[78]\d{8}\b/g, String(AT_MS / 1_000)],
]

export const withFixedValues = (response: unknown): unknown =>
  JSON.parse(FIXED.reduce((text, [pattern, value]) => text.replace(pattern, value), JSON.stringify(response)))
