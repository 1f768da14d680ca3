/**
 * Every event arrives, although servers are killed one after the other while they send, and the receiver fails
 * at random. `WEBHOOK_EVENTS` and `WEBHOOK_KILLS` make the test longer.
 */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, test } from 'vitest'
import { addThreads } from '#contract/comments/threads.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { updateAdvancedWebhookConfig } from '#contract/webhooks/config.ts'
import { createWebhookEndpoint } from '#contract/webhooks/endpoints.ts'
import type { Client } from '#testing/client.ts'
import { createLastingStore, type Store, startProcess } from '#testing/processes/process.ts'
import { FULL, patient } from '#testing/run/mode.ts'
import { type Received, type Receiver, type Reply, startReceiver } from '#testing/stand-ins/receiver.ts'

const EVENTS = Number(process.env.WEBHOOK_EVENTS ?? 600)
const KILLS = Number(process.env.WEBHOOK_KILLS ?? (FULL ? 4 : 2))
const PER_CALL = 20
/** The organization with the document on which the threads are. */
const PLACE = { organizationId: 'threads', documentId: 'd' }
/** There is one thread for this many organizations. */
const THREADS = Math.ceil(EVENTS / PER_CALL)
/** How long a server lives before it is killed: a minimum and a random addition. */
const LIFE_MS = 2_500
/** The maximum number of failures of a message, so that none is given up. */
const FAILURES_MAX = 3
/** The time within which all must arrive after the last failure: a lease and the first delays. */
const SETTLED_MS = patient(90_000)

const idOf = ({ headers }: Received) => headers['webhook-id'] as string

/** Fails at random, in one of the ways that take no time. */
function moody(): (received: Received) => Reply {
  const failures = new Map<string, number>()
  return (received) => {
    const failed = failures.get(idOf(received)) ?? 0
    if (failed >= FAILURES_MAX || Math.random() < 0.6) return { status: 204 }
    failures.set(idOf(received), failed + 1)
    return Math.random() < 0.2 ? 'break' : { status: Math.random() < 0.5 ? 500 : 302 }
  }
}

/** Simulates the passing of hours: waiting attempts become due, and with `leases` also those that were under way. */
async function passTime(store: Store, leases: boolean): Promise<void> {
  const db = await store.open()
  await db.query(`update webhook_deliveries set due_at = now() where $1 or due_at > now() + interval '3 seconds'`, [
    leases,
  ])
  await db.query(
    'update webhook_endpoints set due_at = now() where endpoint_key in (select endpoint_key from webhook_deliveries)',
  )
  await db.close()
}

/** Adds a thread for some of the organizations, each of which is reported as an act. */
async function addThreadsOf(key: Client, ids: readonly string[]): Promise<void> {
  const commentData = [{ from: { userId: 'ada' }, triggerNotification: true }]
  const some = ids.filter((id) => Number(id.slice(1)) % PER_CALL === 0)
  const commentAnnotations = some.map((annotationId) => ({ annotationId, commentData }))
  if (some.length > 0) await key.post(addThreads.path, { ...PLACE, commentAnnotations }) // they may be there already
}

/** Adds this many organizations, and threads, or until the server is dead. */
async function addUntilDeath(key: Client, from: number, to: number): Promise<number> {
  let next = from
  try {
    for (; next < to; next += PER_CALL) {
      const ids = Array.from({ length: Math.min(PER_CALL, to - next) }, (_, nth) => `o${next + nth}`)
      await key.call(addOrganizations, { organizations: ids.map((organizationId) => ({ organizationId })) })
      await addThreadsOf(key, ids)
    }
  } catch {} // it was killed; the next server adds the rest
  return Math.min(next, to)
}

/** Returns the ids of the messages of all events. */
async function expectedIds(store: Store): Promise<string[]> {
  const db = await store.open()
  const { rows } = await db.query(
    `select 'msg_' || replace(stream::text, '-', '') || '-' || sequence || case type when 'thread.added' then '-act' else '' end as id
       from events where type = 'thread.added' or type = 'organization.added' and organization_id <> $1`,
    [PLACE.organizationId],
  )
  await db.close()
  return (rows as { id: string }[]).map(({ id }) => id).sort()
}

async function settle(receiver: Receiver, arrived: ReadonlySet<string>, count: number): Promise<void> {
  for (const deadline = Date.now() + SETTLED_MS; arrived.size < count && Date.now() < deadline; ) await sleep(50)
  assert.ok(arrived.size >= count, `${arrived.size} of ${count} have arrived, of ${receiver.received.length} attempts`)
}

describe('webhooks', () => {
  test('deliver every event, under one id, when the sender is killed repeatedly and the receiver fails', async (t) => {
    const store = await createLastingStore()
    const settings = { ...store.settings, WEBHOOK_ALLOW_PRIVATE: 'true', LOG_LEVEL: 'fatal' }
    const arrived = new Set<string>()
    const answer = moody()
    const receiver = await startReceiver((received) => {
      const reply = answer(received)
      if (typeof reply === 'object' && reply.status === 204) arrived.add(idOf(received))
      return reply
    })
    const first = await startProcess(settings)
    const { headers } = await first.client.newKey()
    const key = first.client.with(headers)
    await key.call(updateAdvancedWebhookConfig, { isEnabled: true })
    const documents = [{ documentId: PLACE.documentId }]
    await key.call(addDocuments, { organizationId: PLACE.organizationId, createOrganization: true, documents })
    const filterTypes = ['organization.added', 'comment_annotation.add']
    await key.call(createWebhookEndpoint, { url: receiver.url, filterTypes })
    await first.kill('SIGTERM')

    let added = 0
    for (let kill = 0; kill < KILLS; kill++) {
      const server = await startProcess(settings)
      const part = Math.ceil((EVENTS * (kill + 1)) / KILLS)
      const adding = addUntilDeath(server.client.with(headers), added, part)
      await sleep(LIFE_MS + Math.random() * LIFE_MS)
      await server.kill('SIGKILL')
      added = await adding
      await passTime(store, true)
    }
    const last = await startProcess(settings)
    added = await addUntilDeath(last.client.with(headers), added, EVENTS)
    await sleep(LIFE_MS)
    const soFar = receiver.received.length
    await last.kill('SIGKILL') // its leases expire
    await passTime(store, false)
    receiver.answer = (received) => {
      arrived.add(idOf(received))
      return { status: 204 }
    }
    const survivor = await startProcess(settings)
    await settle(receiver, arrived, EVENTS + THREADS)
    await sleep(500)
    await survivor.kill('SIGTERM')

    const expected = await expectedIds(store)
    assert.equal(expected.length, EVENTS + THREADS)
    assert.deepEqual([...arrived].sort(), expected)
    const bodies = new Map<string, Set<string>>()
    for (const received of receiver.received)
      bodies.set(idOf(received), (bodies.get(idOf(received)) ?? new Set()).add(received.body))
    assert.ok(
      [...bodies.values()].every((different) => different.size === 1),
      'the same id with another body',
    )
    const names = ({ json: { data } }: Received) =>
      data.organizationId ?? `thread ${data.commentAnnotation.annotationId}`
    assert.equal(new Set(receiver.received.map(names)).size, EVENTS + THREADS)
    t.annotate(
      `${EVENTS} events, ${KILLS + 1} kills, ${receiver.received.length} attempts, ${soFar} of them by those who were killed`,
    )
    receiver.close()
  })
})
