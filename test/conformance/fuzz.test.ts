/**
 * Sends random bodies, valid and nearly valid, to every operation concurrently: the server responds to each with a
 * result or a refusal, never with a fault of its own, and stays responsive. Two seconds here; `npm run soak -- fuzz`
 * takes ten minutes.
 */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, it } from 'vitest'
import { OPERATIONS } from '#contract/operations.ts'
import type { Answer } from '#testing/client.ts'
import { createLastingStore, startProcess } from '#testing/processes/process.ts'
import { parseMetrics } from '#testing/prometheus.ts'
import { randomBodies } from '#testing/random-bodies.ts'
import { fixedWorkMs, TEST_TIMEOUT_MS } from '#testing/run/mode.ts'
import { newCallers } from './support/callers.ts'

const SECONDS = Number(process.env.FUZZ_SECONDS ?? 2)
const SEED = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31)
const CALLS_AT_ONCE = 16
const BODIES_PER_DRAW = 20
/** The machine, or the database, may be busy; anything else with 5xx is a fault. */
const DESERVED = ['UNAVAILABLE', 'DEADLINE_EXCEEDED']
/** The longest time for which one call may hold the event loop, as a part of a tenth of a second of computing. */
const LAG_MAX = 0.4

const METRICS_TOKEN = 'the-token-of-this-test'
const { settings } = await createLastingStore()
const server = await startProcess({ ...settings, METRICS_TOKEN, LOG_LEVEL: 'error' })
const callers = [await newCallers(server.url), await newCallers(server.url)]

async function largestLagSeconds(): Promise<number> {
  const response = await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } })
  return parseMetrics(await response.text()).get('nodejs_eventloop_lag_max_seconds')?.samples[0]?.value ?? 0
}

describe(`random bodies with seed ${SEED}`, () => {
  it('are answered, each with a result or a refusal', { timeout: SECONDS * 1000 + TEST_TIMEOUT_MS }, async (t) => {
    const until = performance.now() + SECONDS * 1000
    const statuses = new Map<number, number>()
    let draws = 0
    let lag = 0
    async function loop(nth: number): Promise<void> {
      while (performance.now() < until) {
        const seed: number = SEED + nth * 1_000_000 + draws++
        const operation = OPERATIONS[seed % OPERATIONS.length]
        const caller = callers[seed % 2]
        if (operation === undefined || caller === undefined) return
        for (const data of fc.sample(randomBodies(operation.data), { seed, numRuns: BODIES_PER_DRAW })) {
          const answer: Answer = await caller[operation.credentials].post(operation.path, data)
          const { http, body, text } = answer
          statuses.set(http, (statuses.get(http) ?? 0) + 1)
          // The call replaced or revoked its own token.
          if (http === 401) callers[seed % 2] = await newCallers(server.url)
          const isFault = http >= 500 && !DESERVED.includes(body?.error?.status)
          assert.ok(!isFault, `seed ${seed}: ${operation.name} ${JSON.stringify(data)}: ${text}`)
          if (performance.now() > until) return
        }
        if (draws % 100 === 0) lag = Math.max(lag, await largestLagSeconds())
      }
    }
    await Promise.all(Array.from({ length: CALLS_AT_ONCE }, (_, nth) => loop(nth)))
    lag = Math.max(lag, await largestLagSeconds())
    await t.annotate(`${JSON.stringify(Object.fromEntries(statuses))}; longest event loop delay ${lag * 1000} ms`)
    assert.equal(server.output.stderr.match(/"level":(50|60)/g), null, server.output.stderr.slice(0, 2_000))
    if (SECONDS > 60)
      assert.ok(lag * 1_000 <= LAG_MAX * fixedWorkMs(), `the event loop stood still for ${lag * 1000} ms`)
  })
})
