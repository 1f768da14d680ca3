/**
 * No database answers for an API key that is not its own (ADR 0066). Every database has copies of the data sets of the others, with their
 * credentials, so that a build which asks the wrong one answers wrongly; builds that ignore where a key is are caught.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { beforeAll, describe, it } from 'vitest'
import { listAccountFindings } from '#contract/access/findings.ts'
import { getApiKeys } from '#contract/keys/api-keys.ts'
import { getAuthTokens } from '#contract/keys/auth-tokens.ts'
import { addOrganizations, getOrganizations } from '#contract/resources/organizations.ts'
import { listAccountUsage } from '#contract/usage/usage.ts'
import { generateToken } from '#contract/users/user-tokens.ts'
import { getWorkspace } from '#contract/workspace/workspaces.ts'
import { createToken } from '#platform/secrets/tokens.ts'
import type { Client } from '#testing/client.ts'
import { openLivePage } from '#testing/live-stream.ts'
import { addThread, newKeyWithDocuments, organizationId } from '#testing/threads.ts'
import { apiKeyOf } from '../conformance/support/callers.ts'
import { signIn } from '../conformance/support/console-session.ts'
import { refused } from '../conformance/support/refused.ts'
import { plantDecoys } from './decoys.ts'
import { startWithBuckets } from './several.ts'

const world = await startWithBuckets(['one', 'two'])
const PLACES = ['home', 'one', 'two'] as const

interface Victim {
  label: string
  key: Client
  owner: Client
}

const victims: Victim[] = []

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

/** Says what an answer has that its caller must not get, or lacks. `required`: the caller must get their own. */
function faultOf({ label }: Victim, text: string, required: boolean): string[] {
  const foreign = victims.flatMap((other) => (other.label !== label && text.includes(other.label) ? [other.label] : []))
  if (text.includes('a decoy')) foreign.push('a decoy')
  const faults = foreign.map((what) => `${label} got ${what}`)
  return required && !text.includes(label) ? [...faults, `${label} got ${text.slice(0, 200)}`] : faults
}

/** Calls with the credentials of one key that name another in every other place. */
async function attack(one: Victim, other: Victim): Promise<string[]> {
  const { headers } = one.key
  const foreign = apiKeyOf(other.key)
  const { token } = await other.key.call(generateToken, { userId: 'ada' })
  const named = (name: string, value: string) => one.key.with({ ...headers, [name]: value })
  const list = getOrganizations.path
  const own = await Promise.all([
    one.key.post(list, {}),
    one.key.post(`${list}?apiKey=${foreign}&key=${foreign}&x-service-api-key=${foreign}`, {}),
    named('authorization', `Bearer ${token}`).post(list, {}),
    named('cookie', `commonhold-console=${foreign}`).post(list, {}),
    named('x-service-workspace-id', other.owner.headers['x-service-workspace-id'] ?? '').post(list, {}),
    named('x-other-api-key', foreign).post(list, {}),
  ])
  const others = await Promise.all([
    named('x-service-api-key', foreign).post(list, {}),
    named('x-service-api-key', `${apiKeyOf(one.key)}, ${foreign}`).post(list, {}),
    named('x-service-api-key', ` ${foreign}`).post(list, {}),
    one.key.post(list, { apiKey: foreign }),
    one.key.raw(list, JSON.stringify({ apiKey: foreign, data: {} })),
  ])
  for (const { http, text } of others.slice(0, 3)) assert.notEqual(http, 200, text)
  return [
    ...own.flatMap(({ text }) => faultOf(one, text, true)),
    ...others.flatMap(({ text }) => faultOf(one, text, false)),
  ]
}

/** Pairs each key with one in the next place (1), or with that in the same place of the other workspace (3). */
const pairs = (...steps: number[]) =>
  victims.flatMap((one, nth) => steps.map((step) => [one, victims[(nth + step) % victims.length] as Victim] as const))

async function attackAll(...steps: number[]): Promise<string[]> {
  const faults: string[] = []
  for (const [one, other] of pairs(...steps)) faults.push(...(await attack(one, other)))
  return [...faults, ...(await pipelined()), ...(await listed())]
}

/** Sends calls of all keys on one connection, all at once, some with wrong credentials; each response belongs to its request. */
async function pipelined(): Promise<string[]> {
  const asked = [...victims, ...victims.toReversed(), ...victims]
  const requests = asked.map(({ key }, nth) => {
    const wrong = nth % 4 === 3 ? { 'x-service-auth-token': victims[nth % 5]?.key.headers['x-service-auth-token'] } : {}
    const body = '{"data":{}}'
    const lines = {
      ...key.headers,
      ...wrong,
      host: 'x',
      'content-type': 'application/json',
      'content-length': body.length,
    }
    const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`)
    return `POST ${getOrganizations.path} HTTP/1.1\r\n${head.join('')}\r\n${body}`
  })
  const socket = connect(Number(new URL(world.url).port), '127.0.0.1')
  await once(socket, 'connect')
  socket.write(requests.join(''))
  const bodies = await bodiesOf(socket, asked.length)
  socket.destroy()
  return asked.flatMap((one, nth) => faultOf(one, bodies[nth] ?? '', nth % 4 !== 3 || nth % 5 === victims.indexOf(one)))
}

async function bodiesOf(socket: AsyncIterable<Buffer>, count: number): Promise<string[]> {
  const bodies: string[] = []
  let rest = ''
  for await (const chunk of socket) {
    rest += chunk.toString('latin1')
    for (let headEnd = rest.indexOf('\r\n\r\n'); headEnd >= 0; headEnd = rest.indexOf('\r\n\r\n')) {
      const end = headEnd + 4 + Number(/content-length: (\d+)/i.exec(rest)?.[1])
      if (rest.length < end) break
      bodies.push(rest.slice(headEnd + 4, end))
      rest = rest.slice(end)
    }
    if (bodies.length === count) break
  }
  return bodies
}

/** Lists of a workspace have each of its keys once, from the database that has it, whatever else the databases have. */
async function listed(): Promise<string[]> {
  const faults: string[] = []
  for (const owner of new Set(victims.map(({ owner }) => owner))) {
    const ids = victims.flatMap((victim) => (victim.owner === owner ? [apiKeyOf(victim.key)] : [])).sort()
    const all = await owner.call(getApiKeys, {})
    const named = await owner.call(getApiKeys, { apiKeys: victims.map(({ key }) => apiKeyOf(key)), orderBy: 'name' })
    const { keys } = await owner.call(listAccountUsage, { from: 0 })
    const { apiKeyList } = await owner.call(getWorkspace, {})
    const { findings } = await owner.call(listAccountFindings, {})
    // The first key of the workspace is in no list of the test.
    const [own] = Object.keys(apiKeyList).filter((id) => !ids.includes(id))
    const check = (what: string, found: readonly string[], expected: readonly string[]) => {
      if (JSON.stringify(found.toSorted()) !== JSON.stringify(expected.toSorted())) faults.push(`${what}: ${found}`)
    }
    check(
      'API keys',
      all.map(({ id }) => id),
      [...ids, own ?? ''],
    )
    check(
      'API keys by name',
      named.map(({ id }) => id),
      ids,
    )
    check(
      'usage',
      keys.map(({ apiKey }) => apiKey),
      [...ids, own ?? ''],
    )
    const kinds = findings.map(({ kind, apiKey }) => `${kind} ${apiKey}`)
    check('findings', [...new Set(kinds)], kinds)
    for (const { key, owner: theirs, label } of victims) {
      const answer = await owner.post(getAuthTokens.path, { apiKey: apiKeyOf(key) })
      if ((answer.http === 200) !== (theirs === owner)) faults.push(`tokens of ${label}: ${answer.http}`)
    }
  }
  return faults
}

it('calls with the credentials of one key get its own data, whatever else they name, and on whatever connection', async () => {
  assert.deepEqual(await attackAll(1, 3), [])
})

it('a page token, an idempotency key and a session are of one key', async () => {
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
const done = new Set<Victim>()

it('a stream has the changes of its own key, and resumes no other', async () => {
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

it('wrong credentials are limited by address, whatever databases they are for', async () => {
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

describe('a build is caught', () => {
  const { directory } = world.app.buckets

  /** Replaces what the directory says while `work` runs. */
  async function while_(says: (apiKeyId: string) => string | undefined, work: () => Promise<void>): Promise<void> {
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
    it(what, () => while_(says, async () => assert.notEqual((await attackAll(1)).length, 0)))
})
