/**
 * Hidden threads do not change any response to a user. Random worlds of comments are built twice, with the threads that
 * are secret from a user and without them; then this user makes every call that a user token may make, with all ids.
 * Each answer is the same, byte for byte: items, counts, pages, errors. `WORLDS` sets the number, `SEED` repeats a run.
 */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, it } from 'vitest'
import type { Client } from '#testing/client.ts'
import { startServer } from '#testing/server.ts'
import { saidByPrograms } from './programs.ts'
import { difference, type Known, readWorldPair } from './readings.ts'
import { READ_AT, world } from './worlds.ts'
import { createWorldPairs } from './worlds-without-secrets.ts'

const WORLDS = Number(process.env.WORLDS ?? 6)
/** The number of worlds that are built and read at the same time. */
const BATCH = Math.min(10, WORLDS)
/** The number of worlds in which programs are tested too. */
const PROGRAMS_MAX = WORLDS / 2
const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))

describe('a thread that is hidden from a user', async () => {
  const server = await startServer()
  const build = createWorldPairs(() => server.newKey())
  const saidTo = (key: Client, known: Known) => saidByPrograms(server.url, key, known)

  it('is searched for with every operation that accepts a user token', () => assert.deepEqual(difference(), []))

  it(`changes no response to them, in ${WORLDS} random worlds`, async (t) => {
    const specs = fc.sample(world, { seed: SEED, numRuns: WORLDS })
    let secrets = 0
    let answers = 0
    for (let from = 0; from < WORLDS; from += BATCH) {
      server.clock.set(null)
      const pairs = await build(specs.slice(from, from + BATCH))
      server.clock.set(new Date(READ_AT * 1000))
      await Promise.all(
        pairs.map(async (pair, index) => {
          const programs = from + index < PROGRAMS_MAX ? saidTo : undefined
          const [whole, without] = await readWorldPair(pair, { ...(programs && { programs }) })
          const secret = [...pair.secret].join(', ')
          const first = whole.findIndex((answer, nth) => answer !== without[nth])
          assert.equal(whole[first], without[first], `seed ${SEED}: ${pair.reader} hears of ${secret}`)
          assert.equal(whole.length, without.length)
          secrets += pair.secret.size
          answers += whole.length
        }),
      )
    }
    t.annotate(`${secrets} secret threads, ${answers} answers, seed ${SEED}`)
    if (WORLDS >= 40) assert.ok(secrets > 0)
  })
})
