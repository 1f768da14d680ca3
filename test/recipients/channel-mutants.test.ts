/**
 * Tests the worlds in which a user listens: they must catch each of these mutants, by the channel that reveals it, and
 * accept the original.
 */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, it } from 'vitest'
import { MAIL_FROM } from '#testing/mail-world.ts'
import { ENGINE, startServer } from '#testing/server.ts'
import { startMailServer } from '#testing/stand-ins/mail-server.ts'
import { createMutating, type Mutant } from '../matrix/mutated.ts'
import { type Channel, createListener, firstTelling } from './channels.ts'
import { world } from './worlds.ts'

const MUTANTS: Record<string, Mutant & { channel: Channel }> = {
  'private threads are streamed': {
    channel: 'stream',
    right: 'd.allowed and coalesce(t.is_visible, false) as "isVisible"',
    wrong: 'd.allowed as "isVisible"',
  },
  'threads of closed documents are streamed': {
    channel: 'stream',
    right: 'd.allowed and coalesce(t.is_visible, false) as "isVisible"',
    wrong: 'coalesce(t.is_visible, false) as "isVisible"',
  },
  'the removal of private threads is streamed': {
    channel: 'stream',
    right: `e.before ->> 'visibility' is not distinct from 'public'`,
    wrong: 'true',
  },
  'notifications in closed documents are streamed': {
    channel: 'stream',
    right: '(d.allowed or not n.requires_access)',
    wrong: 'true',
  },
  'private threads are mailed': {
    channel: 'mails',
    right: `when not is_visible then 'not_visible'`,
    wrong: `when false then 'not_visible'`,
  },
  'threads of closed documents are mailed': {
    channel: 'mails',
    right: `when not allowed then 'no_access'`,
    wrong: `when false then 'no_access'`,
  },
  'the page that mutes a thread needs the thread': {
    channel: 'pages',
    right: 'select annotation_id as "annotationId" from thread',
    wrong: 'select annotation_id as "annotationId" from thread where 1 / (select count(*) from thread) > 0',
  },
}

const WORLDS = 60
const BATCH = 12
const SEED = 1

describe('the worlds in which a user listens catch a mutant', { skip: ENGINE === 'embedded' }, async () => {
  const mutating = createMutating()
  const post = await startMailServer()
  const server = await startServer({ SMTP_URL: post.url, MAIL_FROM }, mutating.through)
  const hear = createListener(server, post)
  const specs = fc.sample(world, { seed: SEED, numRuns: WORLDS })

  async function telling(channels?: readonly Channel[]): Promise<string | undefined> {
    for (let from = 0; from < WORLDS; from += BATCH) {
      const batch = await Promise.all(specs.slice(from, from + BATCH).map((spec, index) => hear(spec, from + index)))
      const told = batch.map((one) => firstTelling(one, channels)).find((each) => each !== undefined)
      if (told !== undefined) return told
    }
    return undefined
  }

  it('and accept the original', async () => assert.equal(await telling(), undefined))

  for (const [name, { channel, ...mutant }] of Object.entries(MUTANTS))
    it(name, async (t) => {
      const told = await mutating.during(mutant, () => telling([channel]))
      assert.ok(told, `not caught in ${WORLDS} worlds`)
      t.annotate(told.slice(0, 200))
    })
})
