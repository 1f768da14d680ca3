/**
 * PostgreSQL primaries that are killed or stopped under load while their standby is promoted, with two servers that nobody
 * restarts. With a synchronous standby no acknowledged grant is lost and no revoked access comes back; with an asynchronous one
 * what is lost is counted. Nobody is allowed what the promoted server does not have, and webhooks and readers get every event that
 * it has, and no two events under one id. `npm run soak -- failover` does it 20 times, 10 times and 10 times, and prints a table.
 */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, describe, test } from 'vitest'
import { checkPermissions } from '#contract/access/decisions.ts'
import { addPermissions, removePermissions } from '#contract/access/permissions.ts'
import { listEvents } from '#contract/events/events.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { updateAdvancedWebhookConfig } from '#contract/webhooks/config.ts'
import { createWebhookEndpoint } from '#contract/webhooks/endpoints.ts'
import type { Client } from '#testing/client.ts'
import { eventually, until } from '#testing/eventually.ts'
import { startProcess } from '#testing/processes/process.ts'
import { createReplicas, type Replica, urlOf } from '#testing/run/replicas.ts'
import { ENGINE, MASTER_KEY } from '#testing/server.ts'
import { startReceiver } from '#testing/stand-ins/receiver.ts'

const TIMES = {
  synchronous: Number(process.env.FAILOVERS_SYNCHRONOUS ?? 2),
  asynchronous: Number(process.env.FAILOVERS_ASYNCHRONOUS ?? 2),
  switchover: Number(process.env.SWITCHOVERS ?? 1),
}
type Kind = keyof typeof TIMES

const organizationId = 'acme'
const resource = { type: 'document', id: 'plan', organizationId } as const
const dataFor = (userId: string) => ({ user: { userId }, permissions: { resources: [resource] } })

/** One row of the table for each kind. */
const table: Record<string, string | number>[] = []
afterAll(() => {
  for (const row of table) process.stdout.write(`${JSON.stringify(row)}\n`)
})

/** What a load has sent, and what was answered. */
class Load {
  readonly granted = new Set<string>()
  readonly revoked = new Set<string>()
  readonly refused = new Map<string, number>()
  wrong: string[] = []
  /** Who was allowed, and when the last such question was asked. */
  readonly allowed = new Map<string, number>()
  /** When the last right answer of each kind came. */
  lastGrantAt = 0
  lastCheckAt = 0
  #serial = 0
  #ended = false
  readonly #running: Promise<unknown>[]

  constructor(callers: readonly Client[]) {
    this.#running = callers.flatMap((caller) => [this.#change(caller), this.#change(caller), this.#ask(caller)])
    for (const running of this.#running) running.catch(() => {}) // `end` throws it
  }

  async end(): Promise<void> {
    this.#ended = true
    await Promise.all(this.#running)
  }

  /** Grants access, and revokes every third of it. */
  async #change(caller: Client): Promise<void> {
    while (!this.#ended) {
      const userId = `user ${this.#serial++}`
      if (!(await this.#isDone(caller, addPermissions.path, dataFor(userId)))) continue
      this.lastGrantAt = performance.now()
      if (this.#serial % 3 !== 0) this.granted.add(userId)
      else if (await this.#isDone(caller, removePermissions.path, dataFor(userId))) this.revoked.add(userId)
    }
  }

  async #ask(caller: Client): Promise<void> {
    while (!this.#ended) {
      const began = performance.now()
      const [revoked, granted] = [[...this.revoked].slice(-5), [...this.granted].slice(-5)]
      const asked = ['ada', ...revoked, 'nobody', ...granted]
      const checks = asked.map((userId) => ({ userId, resource }))
      const answer = await caller.post(checkPermissions.path, { checks })
      if (!this.#isAnswer(answer)) {
        await sleep(20)
        continue
      }
      const allowed: boolean[] = answer.body.result.data.checks.map(({ allowed }: { allowed: boolean }) => allowed)
      const expected = asked.map((userId) => userId === 'ada' || granted.includes(userId))
      if (!isDeepStrictEqual(allowed, expected)) this.wrong.push(`${asked}: ${allowed}`)
      for (const [nth, userId] of asked.entries()) if (allowed[nth]) this.allowed.set(userId, began)
      this.lastCheckAt = began
    }
  }

  async #isDone(caller: Client, path: string, data: object): Promise<boolean> {
    const answer = await caller.post(path, data)
    const isDone = this.#isAnswer(answer)
    if (!isDone) await sleep(20)
    return isDone
  }

  #isAnswer({ http, body, text }: Awaited<ReturnType<Client['post']>>): boolean {
    if (http === 200) return true
    assert.ok(http === 503 || http === 504, `${http} ${text}`)
    const { reason } = body.error
    this.refused.set(reason, (this.refused.get(reason) ?? 0) + 1)
    return false
  }
}

/** What was received, by its id. No id may come back with other contents. */
class Contents {
  readonly byId = new Map<string, string>()

  add(id: string, content: string): void {
    assert.equal(this.byId.get(id) ?? content, content, `the id ${id} has two contents`)
    this.byId.set(id, content)
  }
}

/** Reads the feed as an application does, with its page token. */
class Reader {
  readonly seen = new Map<string, string>()
  announced = 0
  /** Every event that it has ever received, also those that were lost. */
  readonly #known = new Contents()
  #token: string | undefined
  readonly #caller: Client

  constructor(caller: Client) {
    this.#caller = caller
  }

  /** Reads up to the end. */
  async catchUp(): Promise<void> {
    for (;;) {
      const pageToken = this.#token
      const answer = await this.#caller.post(listEvents.path, { order: 'oldestFirst', ...(pageToken && { pageToken }) })
      if (answer.http === 400) {
        assert.equal(answer.body.error.reason, 'page_token_invalid', answer.text)
        this.announced++
        this.seen.clear()
        this.#token = undefined
        continue
      }
      if (answer.http !== 200) {
        await sleep(50)
        continue
      }
      const { data, nextPageToken } = answer.body.result
      for (const event of data.events) {
        const before = this.seen.get(event.id)
        assert.equal(before, undefined, `the event ${event.id} came twice: ${before} and ${JSON.stringify(event)}`)
        this.seen.set(event.id, JSON.stringify(event))
        this.#known.add(event.id, JSON.stringify(event))
      }
      this.#token = nextPageToken
      if (!data.hasMore) return
    }
  }
}

/** Receives webhooks. Returns what waits for messages of all `events` but the `unreported` ones, and counts those of other events. */
async function startConsumer(key: Client) {
  const receiver = await startReceiver()
  await key.call(updateAdvancedWebhookConfig, { isEnabled: true })
  await key.call(createWebhookEndpoint, { url: receiver.url })
  const contents = new Contents()
  return async (events: readonly string[], unreported: readonly string[]): Promise<number> => {
    const messages = new Set(events.map((id) => `msg_${id}`))
    for (const id of unreported) messages.delete(`msg_${id}`)
    await until('all webhooks', () => {
      for (const { headers, body } of receiver.received.splice(0)) contents.add(String(headers['webhook-id']), body)
      return messages.isSubsetOf(contents.byId)
    })
    return [...contents.byId.keys()].filter((id) => !events.includes(id.slice('msg_'.length))).length
  }
}

/** Returns the ids of all events of an API key. */
async function idsOn(replica: Replica, apiKeyId: string): Promise<string[]> {
  const text = `select replace(stream::text, '-', '') || '-' || sequence as id from events where api_key_id = $1`
  return (await replica.query(text, [apiKeyId])).map(({ id }) => String(id)).sort()
}

async function failOver(kind: Kind, times: number): Promise<void> {
  const [first, second] = await createReplicas(2)
  let [primary, standby] = [first, second]
  await primary.start()
  const join = async () => {
    await standby.copy(primary)
    await standby.start()
    await (kind === 'asynchronous' ? primary.streamedBy(standby) : primary.waitFor(standby))
  }
  await join()
  const settings = {
    DATABASE_URL: urlOf([first, second]),
    MASTER_KEY: MASTER_KEY.toString('base64'),
    WEBHOOK_ALLOW_PRIVATE: 'true',
  }
  const servers = [await startProcess(settings), await startProcess(settings)] as const
  const key = await servers[0].client.newKey()
  await key.call(updateKeyConfig, { defaultDocumentAccessType: 'restricted' })
  await key.call(addPermissions, dataFor('ada'))
  const receive = await startConsumer(key)
  const callers = [key, servers[1].client.with(key.headers)]
  const apiKeyId = key.headers['x-service-api-key'] ?? ''
  const unreported = await idsOn(primary, apiKeyId)
  const reader = new Reader(key)
  const sums = { acknowledged: 0, lost: 0, returned: 0, refused: 0, fenced: 0, reported: 0 }
  const readyMs: number[] = []
  const withoutMs: number[] = []

  for (let round = 1; round <= times; round++) {
    const load = new Load(callers)
    await sleep(500)
    await reader.catchUp()
    if (kind === 'asynchronous' && round % 3 !== 0) await standby.leave() // what is acknowledged from here on is lost
    await sleep(500)
    await reader.catchUp()
    const diedAt = performance.now()
    if (kind === 'switchover') await primary.stop()
    else await primary.kill()
    await standby.promote()
    const promotedAt = performance.now()
    await eventually('right answers after the promotion', () =>
      load.lastGrantAt > promotedAt && load.lastCheckAt > promotedAt ? true : undefined,
    )
    readyMs.push(performance.now() - promotedAt)
    withoutMs.push(promotedAt - diedAt)
    const isSplit = kind !== 'switchover' && round % 2 === 1
    if (isSplit) {
      // The former primary comes back as one.
      await primary.start()
      const before = await idsOn(primary, apiKeyId)
      await sleep(1_500)
      assert.deepEqual(await idsOn(primary, apiKeyId), before, 'a write on the former primary')
      sums.fenced++
    }
    await sleep(300)
    await load.end()
    await primary.kill().catch(() => {})
    const stored = new Set((await standby.query('select principal from grants')).map(({ principal }) => principal))
    const lost = [...load.granted].filter((userId) => !stored.has(userId))
    const returned = [...load.revoked].filter((userId) => stored.has(userId))
    const allowed = [...load.allowed].filter(([, askedAt]) => askedAt > promotedAt).map(([userId]) => userId)
    assert.ok(allowed.length > 1)
    assert.deepEqual(
      allowed.filter((userId) => !stored.has(userId)),
      [],
      `access that the promoted server does not have, in round ${round}`,
    )
    if (kind !== 'asynchronous') {
      assert.deepEqual(lost, [], `acknowledged grants were lost in round ${round}`)
      assert.deepEqual(load.wrong, [])
    }
    const announcedBefore = reader.announced
    await reader.catchUp()
    const there = await idsOn(standby, apiKeyId)
    assert.deepEqual([...reader.seen.keys()].sort(), there, 'the reader has other events than the database')
    const fresh = new Reader(key)
    await fresh.catchUp()
    assert.deepEqual(reader.seen, fresh.seen, 'the reader has events with other contents')
    sums.reported = await receive(there, unreported)
    if (kind === 'switchover') assert.equal(reader.announced, announcedBefore)
    sums.acknowledged += load.granted.size + load.revoked.size
    sums.lost += lost.length
    sums.returned += returned.length
    sums.refused += [...load.refused.values()].reduce((sum, count) => sum + count, 0)
    ;[primary, standby] = [standby, primary]
    await join()
  }
  const seconds = (all: number[], at: number) =>
    (
      (all.sort((one, other) => one - other)[Math.min(Math.floor(all.length * at), all.length - 1)] ?? 0) / 1_000
    ).toFixed(1)
  table.push({
    kind,
    times,
    acknowledged: sums.acknowledged,
    lost: sums.lost,
    'revoked came back': sums.returned,
    refused: sums.refused,
    'two primaries': sums.fenced,
    'feed announced': reader.announced,
    'webhooks of lost events': sums.reported,
    'without primary, median s': seconds(withoutMs, 0.5),
    'right again, median s': seconds(readyMs, 0.5),
    'right again, max s': seconds(readyMs, 1),
  })
}

describe('a failover', { skip: ENGINE === 'embedded' }, () => {
  for (const kind of ['synchronous', 'asynchronous', 'switchover'] as const)
    test(`${kind}: ${TIMES[kind]} times`, async () => failOver(kind, TIMES[kind]))
})
