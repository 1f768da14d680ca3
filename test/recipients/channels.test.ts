/**
 * Threads that a user never sees do not change anything that is sent to them: by their stream, also a resumed one, by
 * mail, and by the pages to which mails link. Random worlds are built with and without the threads that the user never
 * sees. `WORLDS` sets the number, `SEED` repeats a run.
 */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, it } from 'vitest'
import { MAIL_FROM } from '#testing/mail-world.ts'
import { startServer } from '#testing/server.ts'
import { startMailServer } from '#testing/stand-ins/mail-server.ts'
import { CHANNELS, createListener, firstTelling } from './channels.ts'
import { world } from './worlds.ts'

const WORLDS = Number(process.env.WORLDS ?? 6)
/** The number of worlds that are built at the same time; most of the time they wait. */
const BATCH = Math.min(10, WORLDS)
const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))

describe('a thread that a user never sees', async () => {
  const post = await startMailServer()
  const server = await startServer({ SMTP_URL: post.url, MAIL_FROM })
  const hear = createListener(server, post)

  it(`changes nothing that is sent to them, in ${WORLDS} random worlds`, async (t) => {
    const specs = fc.sample(world, { seed: SEED, numRuns: WORLDS })
    const counts = Object.fromEntries(CHANNELS.map((channel) => [channel, 0]))
    let unseen = 0
    for (let from = 0; from < WORLDS; from += BATCH)
      await Promise.all(
        specs.slice(from, from + BATCH).map(async (spec, index) => {
          const heard = await hear(spec, from + index)
          if (heard === undefined) return
          unseen += heard.unseen.size
          const telling = firstTelling(heard)
          assert.equal(
            telling,
            undefined,
            `seed ${SEED}: ${heard.reader} hears of ${[...heard.unseen].join(', ')}: ${telling}`,
          )
          for (const channel of CHANNELS) counts[channel] = (counts[channel] ?? 0) + heard.sent[channel][0].length
        }),
      )
    t.annotate(
      `${unseen} threads never seen; ${CHANNELS.map((name) => `${counts[name]} of ${name}`).join(', ')}; seed ${SEED}`,
    )
    if (WORLDS >= 40) assert.ok(unseen > 0)
  })
})
