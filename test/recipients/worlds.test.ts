/**
 * Random worlds of comments on the real engine: the inbox of every user, the threads that each sees and is shown, and
 * the people whom each comment involves on a channel, are compared with the reference interpreter. `WORLDS` sets their
 * number, `SEED` repeats a run. A failure prints its seed and the smallest worlds that show it.
 */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, it } from 'vitest'
import type { LeftOut, RecipientReason } from '#features/comments/recipients/statements.ts'
import { TEST_TIMEOUT_MS } from '#testing/run/mode.ts'
import { startServer } from '#testing/server.ts'
import { createBuilder } from './builder.ts'
import { compareRecipients, compareWorld } from './compare.ts'
import { READ_AT, world } from './worlds.ts'

const WORLDS = Number(process.env.WORLDS ?? 300)
/** Each part is a test of its own, so that none comes near the time limit. */
const PARTS = 4
/** The number of worlds that are built and compared at the same time; they share statements, as the calls of many callers do. */
const BATCH = Math.ceil(Math.min(25, WORLDS / PARTS))
const SEED = process.env.SEED === undefined ? undefined : Number(process.env.SEED)

/** The reasons why users are notified or left out. */
const REASONS = ['mention', 'reply', 'all'] as const satisfies RecipientReason[]
const LEFT_OUT = ['disabled', 'no_access', 'not_visible', 'unsubscribed', 'level', 'seen'] as const satisfies LeftOut[]

const server = await startServer()
const build = createBuilder(() => server.newKey())

/** Ends the search for smaller worlds before the time of the test is over, which would hide what failed. */
const inTime = fc.interruptAfterTimeLimit(0.75 * TEST_TIMEOUT_MS, { failOnInterrupt: true })

const reasons = new Map<string, number>()
const seen = { notifications: 0, unread: 0, forYou: 0 }

const agreement = fc.asyncProperty(fc.array(world, { minLength: BATCH, maxLength: BATCH }), async (batch) => {
  server.clock.set(null)
  const worlds = await build(batch)
  server.clock.set(new Date(READ_AT * 1000))
  for (const [reason, count] of await compareRecipients(server.db, worlds))
    reasons.set(reason, (reasons.get(reason) ?? 0) + count)
  for (const listed of await Promise.all(worlds.map(compareWorld)))
    for (const { isUnread, forYou } of listed) {
      seen.notifications++
      seen.unread += isUnread ? 1 : 0
      seen.forYou += forYou ? 1 : 0
    }
})

describe('who is notified of a comment, and who sees its thread', () => {
  const numRuns = Math.ceil(WORLDS / (BATCH * PARTS))
  for (let part = 0; part < PARTS; part++)
    it(`agrees with the rules, in ${numRuns * BATCH} random worlds, ${part + 1} of ${PARTS}`, async () => {
      const seed = SEED === undefined ? {} : { seed: SEED + part }
      await fc.assert(agreement, { numRuns, plugins: [inTime], ...seed })
    })

  it('gives every reason in some world', { skip: WORLDS < 300 }, (t) => {
    t.annotate(`notifications compared: ${JSON.stringify(seen)}`)
    t.annotate(`recipients compared: ${JSON.stringify(Object.fromEntries(reasons))}`)
    for (const [what, count] of Object.entries(seen)) assert.ok(count > 0, `no inbox had ${what}`)
    for (const reason of [...REASONS, ...LEFT_OUT]) assert.ok(reasons.has(reason), `nobody was ${reason}`)
  })
})
