/**
 * Random worlds on the real engine, with every call about everything, compared with the reference interpreter. `WORLDS`
 * sets their number, `SEED` repeats a run. A failure prints its seed and the smallest world that shows it.
 */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, it } from 'vitest'
import { REASONS } from '#contract/decisions.ts'
import { updateKeyConfig } from '#contract/key-config.ts'
import type { Client } from '#testing/client.ts'
import { FULL } from '#testing/mode.ts'
import { ENGINE, startServer } from '#testing/server.ts'
import { buildWorld } from './build.ts'
import { compareDecisions } from './compared-calls.ts'
import type { Defaults } from './interpreter.ts'
import { assertStructure } from './structure.ts'
import { DEFAULTS, settingsOf, world } from './worlds.ts'

/** The statements are the same on both engines; the embedded one is slower. */
const WORLDS = Number(process.env.WORLDS ?? (ENGINE === 'postgres' ? (FULL ? 60 : 40) : 200))
const SEED = process.env.SEED === undefined ? {} : { seed: Number(process.env.SEED) }

const server = await startServer()
const keys = new Map<Defaults, Client>()
for (const defaults of DEFAULTS) {
  const key = await server.newKey()
  await key.call(updateKeyConfig, settingsOf(defaults))
  keys.set(defaults, key)
}

describe('every call that decides what users may do', () => {
  it(`agrees with the access model in ${WORLDS} random worlds`, async (t) => {
    const seen = new Map<string, number>()
    let worldsMade = 0
    const property = fc.asyncProperty(world, async ({ defaults, organizations }) => {
      const client = keys.get(defaults)
      assert.ok(client)
      worldsMade++
      server.clock.set(null)
      const made = await Promise.all(
        organizations.map((spec, index) => buildWorld(client, `o${worldsMade}-${index}`, spec)),
      )
      for (const organization of made)
        for (const { reason } of await compareDecisions(server.clock, organization, defaults))
          seen.set(reason, (seen.get(reason) ?? 0) + 1)
      await assertStructure(
        server.db,
        made.map(({ key }) => key),
      )
    })
    await fc.assert(property, { numRuns: WORLDS, ...SEED })
    const counts = REASONS.map((reason) => `${reason} ${seen.get(reason) ?? 0}`)
    t.annotate(`decisions compared: ${counts.join(', ')}`)
    if (WORLDS >= 100)
      for (const reason of REASONS) assert.ok(seen.has(reason), `no world came to the answer ${reason}`)
  })
})
