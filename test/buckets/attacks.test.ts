/**
 * No database answers for an API key that is not its own (ADR 0066). Every database has copies of the data sets of the
 * others, with their credentials, so a server that queries the wrong database answers wrongly. Mutants that ignore the
 * location of a key are caught.
 */
import assert from 'node:assert/strict'
import { beforeAll, describe, it } from 'vitest'
import { addOrganizations, getOrganizations } from '#contract/resources/organizations.ts'
import { generateToken } from '#contract/users/user-tokens.ts'
import { createToken } from '#platform/secrets/tokens.ts'
import type { Client } from '#testing/client.ts'
import { openLivePage } from '#testing/live-stream.ts'
import { addThread, newKeyWithDocuments, organizationId } from '#testing/threads.ts'
import { apiKeyOf } from '../conformance/support/callers.ts'
import { signIn } from '../conformance/support/console-session.ts'
import { refused } from '../conformance/support/refused.ts'
import { attacksOn, type Victim } from './attack-calls.ts'
import { plantDecoys } from './decoys.ts'
import { startWithBuckets } from './server-with-buckets.ts'

const world = await startWithBuckets(['one', 'two'])
const PLACES = ['home', 'one', 'two'] as const

const victims: Victim[] = []
const { faultOf, pairs, attackAll, listed } = attacksOn(world.url, victims)

beforeAll(async () => {
  for (const whose of ['mine', 'theirs']) {
    const owner = await world.newOwner()
    for (const where of PLACES) {
      const key = await world.newKey(owner, where)
      const label = `secret of ${whose} at ${where}`
      await key.call(addOrganizations, { organizations: [{ organizationId, organizationName: label }] })
      victims.push({ label, key, owner })
    }
  }
  assert.ok((await plantDecoys(world)) >= 2 * victims.length)
})

it('calls with the credentials of one key get only its data, whatever else they name, on any connection', async () => {
  assert.deepEqual(await attackAll(1, 3), [])
})

it('a page token, an idempotency key and a session belong to one key', async () => {
  const done = new Set<Victim>()
  for (const [one, other] of pairs(1)) {
    for (const nth of [1, 2])
      await other.key.call(addOrganizations, { organizations: [{ organizationId: `more ${nth}` }] })
    const { body } = await other.key.post(getOrganizations.path, { pageSize: 1 })
    const pageToken = body.result.nextPageToken as string
    refused(await one.key.post(getOrganizations.path, { pageSize: 1, pageToken }), 'INVALID_ARGUMENT')
    const once = (key: Client) =>
      key
        .with({ ...key.headers, 'idempotency-key': 'the same' })
        .post(addOrganizations.path, { organizations: [{ organizationId: 'once' }] })
    await once(other.key)
    assert.equal((await once(one.key)).headers.get('idempotent-replayed') === 'true', done.has(one))
    done.add(one).add(other)
    const token = other.key.headers['x-service-auth-token']
    const session = await signIn(world.client, { apiKey: apiKeyOf(other.key), token })
    const naming = session.with({ ...session.headers, ...one.key.headers })
    assert.deepEqual(faultOf(one, (await naming.post(getOrganizations.path, {})).text, false), [])
  }
})

it('a stream has the changes of its own key, and does not resume the stream of another', async () => {
  const owner = await world.newOwner()
  const keys: Client[] = []
  for (const where of ['one', 'two']) keys.push(await newKeyWithDocuments({ newKey: () => world.newKey(owner, where) }))
  const open = async (key: Client, headers = {}) => {
    const { token } = await key.call(generateToken, { userId: 'ada' })
    return openLivePage(world.url, token, { organizationId, documentIds: ['roadmap'] }, headers)
  }
  const pages = await Promise.all(keys.map((key) => open(key)))
  for (const page of pages) await page.received('ready')
  const threads = await Promise.all(keys.map((key) => addThread(key)))
  for (const [nth, page] of pages.entries())
    assert.deepEqual(
      (await page.received('thread')).map(({ annotationId }) => annotationId),
      [threads[nth]],
    )
  const [one, two] = keys as [Client, Client]
  const resumed = await open(two, { 'last-event-id': pages[0]?.lastId ?? '' })
  assert.match(resumed.refusal, /Last-Event-ID/)
  assert.equal((await open(one, { 'x-service-api-key': apiKeyOf(two) })).http, 401)
})

it('wrong credentials are limited by address, for all databases together', async () => {
  const MAX = 6
  const limited = await startWithBuckets(['one', 'two'], { RATE_LIMIT_PUBLIC: String(MAX), TRUST_PROXY: 'loopback' })
  const owner = await limited.newOwner()
  const keys: Client[] = []
  for (const where of PLACES) keys.push(await limited.newKey(owner, where))
  const from = (address: string, key: Client) =>
    key.with({ ...key.headers, 'x-service-auth-token': createToken('cht_'), 'x-forwarded-for': address })
  const statuses: number[] = []
  for (let nth = 0; nth < MAX + 3; nth++)
    statuses.push((await from('203.0.113.1', keys[nth % 3] as Client).post(getOrganizations.path, {})).http)
  assert.deepEqual(statuses, [...Array(MAX).fill(401), 429, 429, 429])
  assert.equal((await from('203.0.113.2', keys[1] as Client).post(getOrganizations.path, {})).http, 401)
  const link = (nth: number) =>
    fetch(`${limited.url}/mail/subscription?token=a&key=${apiKeyOf(keys[nth % 3] as Client)}`)
  const answers: number[] = []
  for (let nth = 0; nth < MAX + 1; nth++) answers.push((await link(nth)).status)
  assert.equal(answers.at(-1), 429)
})

describe('a mutant is caught', () => {
  const { directory } = world.app.buckets

  /** Replaces the answers of the directory while `work` runs. */
  async function whileItSays(says: (apiKeyId: string) => string | undefined, work: () => Promise<void>): Promise<void> {
    Object.assign(directory, { bucketOf: async (id: string) => says(id), remembered: (id: string) => says(id) ?? null })
    try {
      await work()
    } finally {
      Reflect.deleteProperty(directory, 'bucketOf')
      Reflect.deleteProperty(directory, 'remembered')
    }
  }

  for (const [what, says] of Object.entries({
    'that serves everything at home': () => undefined,
    'that serves everything in one bucket': () => 'one',
    'that takes the next bucket': (id: string) => (id.charCodeAt(20) % 2 === 0 ? 'one' : 'two'),
  }))
    it(what, () => whileItSays(says, async () => assert.notEqual((await attackAll(1)).length, 0)))

  it('that lists all rows of the databases', async () => {
    const { buckets } = world.app
    const right = buckets.readKeys
    buckets.readKeys = (workspaceId, read, options) =>
      right(workspaceId, (source) => read({ ...source, apiKeys: null, has: () => true }), options)
    try {
      assert.notEqual((await listed()).length, 0)
    } finally {
      buckets.readKeys = right
    }
  })
})
