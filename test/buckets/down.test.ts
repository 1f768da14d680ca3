/**
 * The calls that a workspace can still make while the database of one of its buckets is down: responses name what is
 * missing (ADR 0066).
 */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, it } from 'vitest'
import { listAccountFindings } from '#contract/access/findings.ts'
import { listAccountEvents } from '#contract/events/events.ts'
import { deleteApiKey, getApiKeys } from '#contract/keys/api-keys.ts'
import { getAuthTokens } from '#contract/keys/auth-tokens.ts'
import { addOrganizations, getOrganizations } from '#contract/resources/organizations.ts'
import { listAccountUsage } from '#contract/usage/usage.ts'
import { getWorkspace } from '#contract/workspace/workspaces.ts'
import { createLog } from '#platform/log.ts'
import type { Client } from '#testing/client.ts'
import { until } from '#testing/eventually.ts'
import { patient } from '#testing/run/mode.ts'
import { createBuckets, type OpenBucket } from '../../server/buckets/buckets.ts'
import { apiKeyOf } from '../conformance/support/callers.ts'
import { refused } from '../conformance/support/refused.ts'
import { startWithBuckets } from './server-with-buckets.ts'

const world = await startWithBuckets(['one', 'two'])
const [one] = world.buckets

let owner: Client
let neighbour: Client
/** Keys in the home database, in the bucket that goes down, and in the other bucket. */
let keys: Client[]

beforeAll(async () => {
  owner = await world.newOwner()
  neighbour = await world.newOwner()
  keys = []
  for (const where of ['home', 'one', 'two']) keys.push(await world.newKey(owner, where, { apiKeyName: where }))
})

const idsOf = (nths: readonly number[]) => nths.map((nth) => apiKeyOf(keys[nth] as Client)).sort()

/** Asserts that a call fails and names the bucket that is the reason. */
async function namesBucket(path: string, data: object): Promise<void> {
  const { reason, message } = refused(await owner.post(path, data), 'UNAVAILABLE')
  assert.equal(reason, 'bucket_unavailable', path)
  assert.match(message, /the bucket one,/)
}

async function whileDown(work: () => Promise<void>): Promise<void> {
  await one?.setDown(true)
  try {
    await work()
  } finally {
    await one?.setDown(false)
    await until('the bucket serves again', async () => (await owner.post(getWorkspace.path, {})).http === 200)
  }
}

describe('while a bucket is down', () => {
  it('lists that must be complete fail, and name the bucket', () =>
    whileDown(async () => {
      await namesBucket(getApiKeys.path, {})
      await namesBucket(getWorkspace.path, {})
      await namesBucket(listAccountUsage.path, {})
      await namesBucket(listAccountEvents.path, {})
      await namesBucket(listAccountEvents.path, { apiKey: apiKeyOf(keys[1] as Client) })
      await namesBucket(getApiKeys.path, { apiKeys: idsOf([0, 1]) })
    }))

  it('calls about its keys fail, and name the bucket', () =>
    whileDown(async () => {
      const key = keys[1] as Client
      for (const answer of [
        await key.post(getOrganizations.path, {}),
        await key.post(addOrganizations.path, { organizations: [{ organizationId: 'acme' }] }),
        await owner.post(getAuthTokens.path, { apiKey: apiKeyOf(key) }),
      ]) {
        const { reason, message } = refused(answer, 'UNAVAILABLE')
        assert.equal(reason, 'bucket_unavailable')
        assert.match(message, /the bucket one,/)
      }
    }))

  it('API keys are listed without the missing ones and with a warning, if the caller allows it', () =>
    whileDown(async () => {
      for (const more of [{}, { orderBy: 'name' }, { pageSize: 1 }]) {
        const { body, http } = await owner.post(getApiKeys.path, { leaveOutUnavailable: true, ...more })
        assert.equal(http, 200)
        const found = body.result.data.map(({ id }: { id: string }) => id)
        assert.ok(found.length >= 1 && !found.includes(apiKeyOf(keys[1] as Client)))
        assert.deepEqual(body.result.warnings, [
          {
            code: 'keys_unavailable',
            message: 'The database of the bucket one cannot be reached: 1 API key is left out. Repeat the call later.',
          },
        ])
      }
    }))

  it('findings are listed with the same warning, and calls that need no missing key work as always', () =>
    whileDown(async () => {
      const { body } = await owner.post(listAccountFindings.path, {})
      assert.equal(body.result.warnings[0].code, 'keys_unavailable')
      const named = { apiKeys: idsOf([0, 2]) }
      const { body: listed } = await owner.post(getApiKeys.path, named)
      assert.deepEqual(
        listed.result.data.map(({ id }: { id: string }) => id),
        idsOf([0, 2]),
      )
      assert.equal(listed.result.warnings, undefined)
      assert.equal((await owner.call(listAccountUsage, named)).keys.length, 2)
      for (const nth of [0, 2]) {
        const apiKey = apiKeyOf(keys[nth] as Client)
        const { events } = await owner.call(listAccountEvents, { apiKey, includeNames: true })
        assert.deepEqual(events.map(({ type }) => type).sort(), ['api_key.created', 'auth_token.created'])
        assert.equal((await (keys[nth] as Client).post(getOrganizations.path, {})).http, 200)
      }
      for (const { path } of [getApiKeys, getWorkspace, listAccountUsage, listAccountEvents, listAccountFindings])
        assert.equal((await neighbour.post(path, {})).http, 200, path)
    }))
})

it('a bucket is opened once for concurrent calls, and calls fail at once while it is tried again', async () => {
  let attempts = 0
  const again = Promise.withResolvers<never>()
  const open: OpenBucket = async ({ name }) => {
    if (name !== 'one') throw new Error('not asked')
    attempts++
    if (attempts > 1) return again.promise
    await sleep(200) // the time that a database takes to refuse
    throw new Error('refused')
  }
  const buckets = createBuckets({ ...world.app.kernel, log: createLog('silent') }, open)
  const failed = () =>
    buckets.app('one').then(
      () => 'served',
      ({ reason }) => reason,
    )
  assert.deepEqual(await Promise.all([failed(), failed()]), Array(2).fill('bucket_unavailable'))
  assert.equal(attempts, 1)
  await until('another attempt', () => attempts > 1)
  assert.equal(await Promise.race([failed(), sleep(patient(2_000), 'waits')]), 'bucket_unavailable')
  again.reject(new Error('refused'))
  await buckets.stop()
})

it('events about the last key that a workspace had in a bucket stay in its list', async () => {
  const another = await world.newOwner()
  const key = await world.newKey(another, 'two', { apiKeyName: 'Gone' })
  await another.call(deleteApiKey, { apiKey: apiKeyOf(key), apiKeyName: 'Gone' })
  const { events } = await another.call(listAccountEvents, { apiKey: apiKeyOf(key) })
  assert.deepEqual(events.map(({ type }) => type).sort(), ['api_key.created', 'api_key.deleted', 'auth_token.created'])
  const all = await another.call(listAccountEvents, {})
  assert.equal(all.events.filter(({ apiKey }) => apiKey === apiKeyOf(key)).length, 3)
  assert.equal((await another.call(getApiKeys, {})).length, 1)
})
