/** Lists of a workspace whose API keys are in three databases are the same as from one database (ADR 0066). */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { it } from 'vitest'
import { listAccountFindings } from '#contract/access/findings.ts'
import type { Operation } from '#contract/core/operation.ts'
import { listAccountEvents } from '#contract/events/events.ts'
import { createApiKey, deleteApiKey, disableApiKey, getApiKeys, updateApiKey } from '#contract/keys/api-keys.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { listAccountUsage } from '#contract/usage/usage.ts'
import type { Client } from '#testing/client.ts'
import { apiKeyOf } from '../conformance/support/callers.ts'
import { startWithBuckets, type WithBuckets } from './server-with-buckets.ts'

const PLACES = ['home', 'one', 'two', 'one', 'home', 'two', 'one']
const NAMES = ['Berta', 'ada', 'Ärger', 'zoe', 'émile', 'Zora', 'ß', '🙂', 'a', '']

/**
 * Makes the same changes in each world. `from` is a time between them; `nameOf` returns the name of a key, which is the
 * same in both worlds.
 */
async function fill(world: WithBuckets) {
  let from = 0
  const tick = () => sleep(3) // no two changes have the same time
  const owner = await world.newOwner()
  const ids = new Map<string, string>()
  const keys: Client[] = []
  for (const [nth, apiKeyName] of NAMES.entries()) {
    await tick()
    const where = PLACES[nth % PLACES.length] as string
    const key = await world.newKey(owner, where, apiKeyName === '' ? {} : { apiKeyName })
    keys.push(key)
    ids.set(apiKeyOf(key), `key ${nth}`)
  }
  for (const [nth, key] of keys.entries()) {
    const apiKey = apiKeyOf(key)
    await tick()
    if (nth % 2 === 0) await owner.call(updateApiKey, { apiKey, apiKeyName: `${NAMES[nth]} ${nth}` })
    await tick()
    if (nth % 3 === 0) await owner.call(disableApiKey, { apiKey })
    else await key.call(addOrganizations, { organizations: [{ organizationId: `o${nth}` }] })
    if (nth === 2) from = Date.now()
    if (nth === 4) await key.call(updateKeyConfig, { defaultDocumentAccessType: 'restricted' })
  }
  await tick()
  await owner.call(deleteApiKey, { apiKey: apiKeyOf(keys[7] as Client), apiKeyName: '🙂' })
  return { owner, from, nameOf: (apiKey: string) => ids.get(apiKey) ?? 'the first key' }
}

const world = await startWithBuckets(['one', 'two'])
const one = await startWithBuckets([])
const [spread, together] = [await fill(world), await fill(one)]

/** Reads all pages. */
// biome-ignore lint/suspicious/noExplicitAny: of whatever operation
async function pagesOf(owner: Client, { path }: Operation, data: object): Promise<any[]> {
  const pages = []
  for (let pageToken: string | undefined; pages.length < 100; ) {
    const { http, body, text } = await owner.post(path, { ...data, ...(pageToken && { pageToken }) })
    assert.equal(http, 200, text)
    pages.push(body.result.data)
    pageToken = body.result.nextPageToken ?? body.result.data.nextPageToken
    if (pageToken === undefined || body.result.data.hasMore === false) break
  }
  return pages
}

for (const pageSize of [1, 3, 25]) {
  it(`API keys by name, in pages of ${pageSize}`, async () => {
    for (const more of [{ orderBy: 'name' }, { orderBy: 'name desc' }, { orderBy: 'name', query: 'a' }]) {
      const [found, expected] = await Promise.all(
        [spread, together].map(async ({ owner, nameOf }) =>
          (await pagesOf(owner, getApiKeys, { ...more, pageSize }))
            .flat()
            .map(({ id, apiKeyName }) => [apiKeyName, nameOf(id)]),
        ),
      )
      assert.deepEqual(found, expected)
      assert.ok(more.query !== undefined || found?.length === NAMES.length)
    }
    const ids = (await pagesOf(spread.owner, getApiKeys, { pageSize })).flat().map(({ id }) => id)
    assert.deepEqual(ids, ids.toSorted())
    assert.equal(new Set(ids).size, NAMES.length)
  })

  it(`usage, in pages of ${pageSize}`, async () => {
    const read = async ({ owner, nameOf }: typeof spread) =>
      (await pagesOf(owner, listAccountUsage, { pageSize, granularity: 'month', from: 0 }))
        .flatMap(({ keys }) => keys)
        .map(({ apiKey, name, periods: [period] }) => [nameOf(apiKey), name, period?.calls, period?.refused])
    const [found, expected] = await Promise.all([read(spread), read(together)])
    assert.deepEqual(found.toSorted(), expected.toSorted())
    assert.ok(found.some(([, , calls]) => calls > 0))
  })

  for (const order of ['newestFirst', 'oldestFirst'] as const)
    it(`events with the ${order}, in pages of ${pageSize}`, async () => {
      for (const more of [
        () => ({}),
        () => ({ types: ['api_key.updated'] }),
        ({ from }: typeof spread) => ({ from }),
      ]) {
        const read = async (filled: typeof spread) =>
          (await pagesOf(filled.owner, listAccountEvents, { order, pageSize, ...more(filled) }))
            .flatMap(({ events }) => events)
            .map(({ type, apiKey }) => `${type} ${apiKey && filled.nameOf(apiKey)}`)
        const [found, expected] = await Promise.all([read(spread), read(together)])
        assert.deepEqual(found, expected)
      }
    })
}

it('findings', async () => {
  const read = async ({ owner, nameOf }: typeof spread) =>
    (await owner.call(listAccountFindings, {})).findings.map(({ kind, sentence, apiKey }) => [
      ...[kind, sentence, apiKey && nameOf(apiKey)],
    ])
  assert.deepEqual(await read(spread), await read(together))
})

it('events of one key', async () => {
  for (const where of ['home', 'one']) {
    const key = await world.newKey(spread.owner, where)
    const { events } = await spread.owner.call(listAccountEvents, { apiKey: apiKeyOf(key) })
    assert.deepEqual(events.map(({ type }) => type).sort(), ['api_key.created', 'auth_token.created'])
  }
})

it('counts production keys of all databases, without deleted ones', async () => {
  const limited = await startWithBuckets(['one'], { PRODUCTION_KEYS_PER_WORKSPACE: '2' })
  const owner = await limited.newOwner()
  const settings = { type: 'production', planInfo: { type: 'production' }, apiKeyName: 'Live' }
  await limited.newKey(owner, 'home', settings)
  const key = await limited.newKey(owner, 'one', settings)
  const create = () => owner.post(createApiKey.path, { ownerEmail: 'ada@example.com', ...settings })
  assert.equal((await create()).body.error.reason, 'too_many_production_keys')
  // Simulates a process that was killed before it deleted the location: the call is repeated.
  await limited.buckets[0]?.db.query('delete from api_keys where api_key_id = $1', [apiKeyOf(key)])
  assert.equal((await owner.post(deleteApiKey.path, { apiKey: apiKeyOf(key), apiKeyName: 'Live' })).http, 404)
  assert.equal((await create()).http, 200)
})
