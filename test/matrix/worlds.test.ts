/**
 * Every call about everything in random worlds on the real engine is compared with the reference interpreter. `WORLDS`
 * sets their number, `SEED` repeats a run. A failure prints its seed and the smallest worlds that show it.
 */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, it } from 'vitest'
import { REASONS } from '#contract/access/decisions.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import type { Client } from '#testing/client.ts'
import { FULL, TEST_TIMEOUT_MS } from '#testing/run/mode.ts'
import { ENGINE, startServer } from '#testing/server.ts'
import { buildWorld, setDisabled } from './build.ts'
import { compareDecisions } from './compared-calls.ts'
import { assertStructure } from './structure.ts'
import { keyOf, settingsOf, type WorldSpec, world } from './worlds.ts'

/** 150 worlds of one seed catch all mutants (mutants.test.ts); the embedded engine only proves that it decides the same. */
const USUAL_WORLDS = FULL ? 300 : ENGINE === 'postgres' ? 150 : 24
const WORLDS = Number(process.env.WORLDS ?? USUAL_WORLDS)
/** Each part is a test of its own, so that none comes near the time limit. */
const PARTS = 3
/** The number of worlds that are built and compared at the same time; they share statements, as the calls of many callers do. */
const BATCH = Math.ceil(Math.min(25, WORLDS / PARTS))
const SEED = process.env.SEED === undefined ? undefined : Number(process.env.SEED)

const server = await startServer()
const keys = new Map<string, Promise<Client>>()

/** Returns an API key with the settings and the disabled users of a world. */
function clientFor(spec: WorldSpec): Promise<Client> {
  const name = JSON.stringify(keyOf(spec))
  const client = keys.get(name) ?? newKey(spec)
  keys.set(name, client)
  return client
}

async function newKey({ defaults, disabledUsers }: WorldSpec): Promise<Client> {
  const client = await server.newKey()
  await client.call(updateKeyConfig, settingsOf(defaults))
  await setDisabled(client, disabledUsers, true)
  return client
}

/** Ends the search for smaller worlds before the time of the test is over, which would hide what failed. */
const inTime = fc.interruptAfterTimeLimit(0.75 * TEST_TIMEOUT_MS, { failOnInterrupt: true })

/** The number of comparisons of each reason. */
const seen = new Map<string, number>()
let organizationsMade = 0

const agreement = fc.asyncProperty(fc.array(world, { minLength: BATCH, maxLength: BATCH }), async (batch) => {
  server.clock.set(null)
  const specs = batch.flatMap((of) => of.organizations.map((spec) => ({ of, spec, id: `o${++organizationsMade}` })))
  const made = await Promise.all(
    specs.map(async ({ of, spec, id }) => {
      const built = await buildWorld(await clientFor(of), id, spec)
      return { world: built, key: keyOf(of), isPlain: spec.members === null && of.disabledUsers.length === 0 }
    }),
  )
  // One statement decides for all worlds, and another one if no group has grants and no user is disabled.
  for (const part of Map.groupBy(made, ({ isPlain }) => isPlain).values())
    for (const { reason } of await compareDecisions(server.clock, part)) seen.set(reason, (seen.get(reason) ?? 0) + 1)
  await assertStructure(
    server.db,
    made.map((each) => each.world.key),
  )
})

describe('every call that decides what users may do', () => {
  const numRuns = Math.ceil(WORLDS / PARTS / BATCH)
  for (let part = 0; part < PARTS; part++)
    it(`agrees with the access model in ${numRuns * BATCH} random worlds, ${part + 1} of ${PARTS}`, async () => {
      const seed = SEED === undefined ? {} : { seed: SEED + part }
      await fc.assert(agreement, { numRuns, plugins: [inTime], ...seed })
    })

  it('returns every answer in some world', { skip: WORLDS < 100 }, (t) => {
    const counts = REASONS.map((reason) => `${reason} ${seen.get(reason) ?? 0}`)
    t.annotate(`decisions compared: ${counts.join(', ')}`)
    for (const reason of REASONS) assert.ok(seen.has(reason), `no world came to the answer ${reason}`)
  })
})
