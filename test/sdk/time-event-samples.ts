/** Sample events with times and spans, each with its sentence, for event-sentences.test.ts. */
import { document, type Sample } from './thread-event-samples.ts'

export const MARCH = Date.UTC(2027, 2, 3) / 1_000
export const MAY = Date.UTC(2027, 4, 1) / 1_000

type Samples = readonly (readonly [sample: Sample, sentence: string])[]

/** The day alone is not enough for a grant that expires soon, or for two expiries on one day. */
export const END_SAMPLES: Samples = [
  [
    {
      ...{ ...document, changedAt: MARCH * 1_000 - 3_600_000, userId: 'ada' },
      after: { accessRole: 'editor', expiresAt: MARCH },
    },
    'Kim Larsen gave Ada Byron editor on Budget 2026, until 3 March 2027, 00:00 UTC',
  ],
  [
    {
      ...{ ...document, userId: 'ada' },
      before: { accessRole: 'editor', expiresAt: MARCH },
      after: { accessRole: 'editor', expiresAt: MARCH + 60 },
    },
    'Kim Larsen extended Ada Byron’s editor role on Budget 2026 from 3 March 2027, 00:00 UTC to 3 March 2027, 00:01 UTC',
  ],
]

export const SPAN_SAMPLES: Samples = [
  [
    {
      apiKey: 'chk_1',
      before: { expiringSoonSeconds: 0, userTokenLifetimeSeconds: 172_800 },
      after: { expiringSoonSeconds: 604_800, userTokenLifetimeSeconds: 5_400 },
    },
    'Kim Larsen changed the settings of Larkspur testing: announcement of expiring grants from none to 7 days and lifetime of user tokens from 2 days to 90 minutes',
  ],
]
