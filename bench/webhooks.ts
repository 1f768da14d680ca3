/**
 * Measures webhooks: messages per second to a fast receiver, and the latency of a grant while a hundred endpoints hang,
 * compared with none. The hanging endpoints belong to another key and receive every event of it.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { addPermissions } from '#contract/access/permissions.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { updateAdvancedWebhookConfig } from '#contract/webhooks/config.ts'
import { createWebhookEndpoint } from '#contract/webhooks/endpoints.ts'
import { type Client, createClient } from '#testing/client.ts'
import { percentile, say, sayHead, sayRow } from './support/report.ts'
import { startProcess } from './support/server.ts'

const HANGING = 100
const CALLS = 20
const PER_CALL = 500
/** The interval at which organizations are added, so that the hanging endpoints always have pending messages. */
const NOISE_MS = 200
const GRANT_EVERY_MS = 5
const ROUNDS = 3

const receivedBy = async (url: string): Promise<number> => Number(await (await fetch(url)).text())

async function listen(key: Client, url: string, filterTypes?: string[]): Promise<void> {
  await key.call(updateAdvancedWebhookConfig, { isEnabled: true })
  await key.call(createWebhookEndpoint, { url, ...(filterTypes === undefined ? {} : { filterTypes }) })
}

/** Returns messages per second, from the first event to the last message. */
async function throughput(server: string, receiver: string, endpoints: number): Promise<number> {
  const key = await createClient(server).newKey()
  for (let nth = 0; nth < endpoints; nth++) await listen(key, `${receiver}/${nth}`, ['organization.added'])
  const before = await receivedBy(receiver)
  const began = performance.now()
  for (let call = 0; call < CALLS; call++)
    await key.call(addOrganizations, {
      organizations: Array.from({ length: PER_CALL }, (_, nth) => ({ organizationId: `o${call}-${nth}` })),
    })
  const all = before + CALLS * PER_CALL * endpoints
  while ((await receivedBy(receiver)) < all) await sleep(50)
  return (CALLS * PER_CALL * endpoints) / ((performance.now() - began) / 1000)
}

/** Returns the times of single grants, sent sequentially with pauses. */
async function grantTimes(key: Client, seconds: number): Promise<number[]> {
  const times: number[] = []
  for (const end = performance.now() + seconds * 1000; performance.now() < end; await sleep(GRANT_EVERY_MS)) {
    const resources = [{ type: 'organization' as const, id: `o${times.length % 50}` }]
    const began = performance.now()
    await key.call(addPermissions, { user: { userId: `u${times.length}` }, permissions: { resources } })
    times.push(performance.now() - began)
  }
  return times
}

/** Adds organizations at an interval, the same work in both measurements. Returns a function that stops it. */
function makeNoise(key: Client): () => Promise<void> {
  let isRunning = true
  const ended = (async () => {
    for (let nth = 0; isRunning; nth++) {
      await key.call(addOrganizations, { organizations: [{ organizationId: `noise ${Date.now()}-${nth}` }] })
      await sleep(NOISE_MS)
    }
  })()
  return () => {
    isRunning = false
    return ended
  }
}

export async function benchWebhooks(settings: Record<string, string>, seconds: number): Promise<void> {
  const receiver = await startProcess('bench/support/webhook-receiver.ts', {})
  const server = await startProcess('server/main.ts', {
    ...settings,
    WEBHOOK_ALLOW_PRIVATE: 'true',
    WEBHOOK_RATE_PER_HOST: '0',
  })
  say(`\n## Webhooks\n\n${CALLS * PER_CALL} events, from the first call to the last message received, signed.`)
  sayHead('endpoints', 'messages/s')
  await throughput(server.url, receiver.url, 1) // warm
  for (const endpoints of [1, 4]) {
    const rate = await throughput(server.url, receiver.url, endpoints)
    sayRow(endpoints, Math.round(rate))
  }

  const [quiet, hung] = [await createClient(server.url).newKey(), await createClient(server.url).newKey()]
  const granting = await createClient(server.url).newKey()
  for (let nth = 0; nth < HANGING; nth++) await listen(hung, `${receiver.url}/hang/${nth}`)
  say(
    `\nA grant every ${GRANT_EVERY_MS} ms, by turns without and with ${HANGING} endpoints that hang. One organization is added`,
  )
  say(`every ${NOISE_MS} ms; in the second case each endpoint gets a message about it. p50 and p99 in ms.`)
  sayHead('round', 'p50', 'p99', 'p50, hanging', 'p99, hanging')
  const without: number[] = []
  const within: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const one = await measured(quiet, granting, seconds)
    const other = await measured(hung, granting, seconds)
    without.push(...one)
    within.push(...other)
    sayRow(
      round + 1,
      ...[one, other].flatMap((times) => [0.5, 0.99].map((share) => percentile(times, share).toFixed(2))),
    )
  }
  const [p99, p99Hanging] = [percentile(without, 0.99), percentile(within, 0.99)]
  say(`\nAll rounds: p99 ${p99.toFixed(2)} and ${p99Hanging.toFixed(2)} ms, ${(p99Hanging / p99).toFixed(2)} ×.`)
  const rate = await throughput(server.url, receiver.url, 1)
  say(`Meanwhile, with ${HANGING} endpoints hanging, another key's receiver got ${Math.round(rate)} messages/s.`)
  await server.stop()
  await receiver.stop()
}

async function measured(noisy: Client, granting: Client, seconds: number): Promise<number[]> {
  const endNoise = makeNoise(noisy)
  await sleep(1_000)
  const times = await grantTimes(granting, seconds)
  await endNoise()
  return times
}
