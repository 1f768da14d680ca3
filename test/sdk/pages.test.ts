/** Reads lists page by page, for each form of cursor. */
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'vitest'
import { type Client, CommonholdError } from '#sdk/index.ts'
import { apiKeyClient } from '#testing/clients.ts'
import { sharedServer } from '#testing/server.ts'

const server = await sharedServer({ WEBHOOK_ALLOW_PRIVATE: 'true' })
let client: Client
beforeEach(async () => {
  client = apiKeyClient(server.url, await server.newKey())
})

const IDS = ['a', 'b', 'c', 'd', 'e']
const addAll = () => client.organizations.add({ organizations: IDS.map((organizationId) => ({ organizationId })) })

describe('pages', () => {
  it('contain every item once, in order', async () => {
    await addAll()
    const seen: unknown[] = []
    const sizes: number[] = []
    for await (const { data } of client.organizations.get.pages({ pageSize: 2 })) {
      sizes.push(data.length)
      seen.push(...data.map(({ id }) => id))
    }
    assert.deepEqual(seen, IDS)
    assert.deepEqual(sizes, [2, 2, 1])
  })

  it('need no data if the operation needs none', async () => {
    await addAll()
    const [page] = await Array.fromAsync(client.organizations.get.pages())
    assert.equal(page?.data.length, 5)
    assert.equal((await client.organizations.get()).length, 5)
  })

  it('continue from a token', async () => {
    await addAll()
    for await (const { nextPageToken } of client.organizations.get.pages({ pageSize: 2 })) {
      const rest = await Array.fromAsync(client.organizations.get.pages({ pageSize: 2, pageToken: nextPageToken }))
      assert.deepEqual(
        rest.flatMap(({ data }) => data.map(({ id }) => id)),
        ['c', 'd', 'e'],
      )
      assert.deepEqual(Object.keys(rest.at(-1) ?? {}), ['data'])
      break
    }
  })

  it('are fetched only when they are read', async () => {
    await addAll()
    const pages = client.organizations.get.pages({ pageSize: 1 })
    await pages.next()
    await pages.return()
    assert.deepEqual(await pages.next(), { value: undefined, done: true })
  })

  it('of webhook endpoints follow their iterator', async () => {
    await client.advancedWebhookConfig.update({ isEnabled: true })
    for (const id of IDS) await client.webhookEndpoints.create({ url: `http://127.0.0.1:1/${id}` })
    const pages = await Array.fromAsync(client.webhookEndpoints.get.pages({ limit: 2 }))
    assert.deepEqual(pages.flatMap(({ data }) => data.endpoints.map(({ url }) => url.at(-1))).toSorted(), IDS)
    assert.deepEqual(
      pages.map(({ nextPageToken }) => nextPageToken !== undefined),
      [true, true, false],
    )
  })

  it('of events end with the latest one, and the token continues with later ones', async () => {
    await addAll()
    const types = ['organization.added' as const]
    const pages = await Array.fromAsync(client.events.list.pages({ types, order: 'oldestFirst', pageSize: 2 }))
    assert.deepEqual(
      pages.flatMap(({ data }) => data.events.map(({ organizationId }) => organizationId)).toSorted(),
      IDS,
    )
    await client.organizations.add({ organizations: [{ organizationId: 'f' }] })
    const pageToken = pages.at(-1)?.nextPageToken
    const later = await Array.fromAsync(
      client.events.list.pages({ types, order: 'oldestFirst', pageSize: 2, pageToken }),
    )
    assert.deepEqual(
      later.flatMap(({ data }) => data.events.map(({ organizationId }) => organizationId)),
      ['f'],
    )
  })

  it('of users can be empty without being the last', async () => {
    await client.users.add({ organizationId: 'acme', users: IDS.map((userId) => ({ userId })) })
    const pages = await Array.fromAsync(client.users.get.pages({ organizationId: 'acme', searchKey: 'e', pageSize: 1 }))
    assert.deepEqual(
      pages.flatMap(({ data }) => data.map(({ userId }) => userId)),
      ['e'],
    )
  })

  it('fail if a page fails', async () => {
    await assert.rejects(Array.fromAsync(client.organizations.get.pages({ pageToken: 'nonsense' })), (error) => {
      assert.ok(error instanceof CommonholdError)
      assert.equal(error.reason, 'page_token_invalid')
      return true
    })
  })
})
