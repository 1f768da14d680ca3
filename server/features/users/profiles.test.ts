/** Profiles of an API key, independent of grants. */
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'vitest'
import { listProfiles, setProfiles } from '#contract/users/profiles.ts'
import { generateToken } from '#contract/users/user-tokens.ts'
import { addUsers, deleteUsers } from '#contract/users/users.ts'
import { type Client, pagesOf } from '#testing/client.ts'
import { sharedServer } from '#testing/server.ts'
import { apiKeyOf } from '../../../test/conformance/support/callers.ts'
import { eventsDuring } from '../../../test/conformance/support/events.ts'
import { refused, refusedField } from '../../../test/conformance/support/refused.ts'

const server = await sharedServer()
let key: Client
beforeEach(async () => {
  key = await server.newKey()
})

const list = async (data: object = {}) => (await key.call(listProfiles, data)).profiles
const set = (...users: object[]) => key.post(setProfiles.path, { users })
const eventsWhile = (work: () => Promise<unknown>) => eventsDuring(server.db, apiKeyOf(key), work)

describe('profiles.list', () => {
  it('lists the stored profiles of all users in user id order, with and without grants', async () => {
    await key.call(addUsers, { organizationId: 'acme', users: [{ userId: 'bob', name: 'Bob', ...{ team: 'x' } }] })
    await key.call(addUsers, { organizationId: 'acme', users: [{ userId: 'left', name: 'Left' }] })
    await key.call(deleteUsers, { organizationId: 'acme', userIds: ['left'] })
    await key.call(generateToken, { userId: 'Zoe', userProperties: { name: 'Zoe' } })
    assert.deepEqual(await list(), [
      { name: 'Zoe', userId: 'Zoe' },
      { name: 'Bob', team: 'x', userId: 'bob' },
      { name: 'Left', userId: 'left' },
    ])
  })

  it('returns the same set with any page size', async () => {
    await set(...['a', 'b', 'c', 'd', 'e'].map((userId) => ({ userId })))
    for (const pageSize of [1, 2, 5, 6]) {
      const seen: unknown[] = []
      for await (const { data } of pagesOf((pageToken) => key.post(listProfiles.path, { pageSize, pageToken })))
        seen.push(...data.profiles)
      assert.deepEqual(seen, await list())
    }
  })
})

describe('profiles.list of named users', () => {
  it('lists their profiles in user id order, with any page size, and leaves out who has none', async () => {
    await set(...['a', 'b', 'c', 'd'].map((userId) => ({ userId, name: userId.toUpperCase() })))
    const userIds = ['d', 'nobody', 'a', 'd', 'c']
    const named = ['a', 'c', 'd'].map((userId) => ({ userId, name: userId.toUpperCase() }))
    assert.deepEqual(await list({ userIds }), named)
    const { body } = await key.post(listProfiles.path, { userIds, pageSize: 2 })
    const pageToken = body.result.nextPageToken
    assert.deepEqual([...body.result.data.profiles, ...(await list({ userIds, pageSize: 2, pageToken }))], named)
    refused(await key.post(listProfiles.path, { userIds: ['a'], pageToken }), 'INVALID_ARGUMENT')
    refusedField(await key.post(listProfiles.path, { userIds, orderBy: 'name' }), 'orderBy')
  })
})

describe('profiles.set', () => {
  it('stores profiles without adding grants', async () => {
    const { body } = await set({ userId: 'ada', name: 'Ada', isAdmin: true, nested: { a: [1] } }, { userId: 'bob' })
    const { ada } = body.result.data
    assert.deepEqual(ada, { success: true, id: ada.id, message: 'Profile stored successfully.' })
    assert.deepEqual(await list(), [
      { userId: 'ada', name: 'Ada', isAdmin: true, nested: { a: [1] } },
      { userId: 'bob' },
    ])
  })

  it('merges profiles: absent fields are kept, null clears', async () => {
    await set({ userId: 'ada', name: 'Ada', email: 'ada@example.com', team: 'x' })
    await set({ userId: 'ada', name: 'Ada L.', email: null, floor: 3 })
    assert.deepEqual(await list(), [{ userId: 'ada', name: 'Ada L.', team: 'x', floor: 3 }])
  })

  it('lets the last of two profiles of one user win', async () => {
    await set({ userId: 'ada', name: 'first' }, { userId: 'ada', name: 'last' })
    assert.deepEqual(await list(), [{ userId: 'ada', name: 'last' }])
  })

  it('refuses metadata that looks like protection', async () => {
    refusedField(await set({ userId: 'ada', accessRole: 'editor' }), 'users[0].accessRole')
  })

  it('stores none if one would be too large', async () => {
    const big = 'x'.repeat(50_000)
    await set({ userId: 'ada', first: big })
    refused(await set({ userId: 'bob' }, { userId: 'ada', second: big }), 'INVALID_ARGUMENT')
    assert.deepEqual(
      (await list()).map(({ userId }) => userId),
      ['ada'],
    )
  })

  it('writes events for changed profiles only', async () => {
    const users = [{ userId: 'ada', name: 'Ada' }, { userId: 'bob' }]
    const events = await eventsWhile(() => set(...users))
    assert.deepEqual(
      events.map(({ type }) => type),
      ['user.added', 'user.added'],
    )
    assert.deepEqual(await eventsWhile(() => set(...users)), [])
    const [updated] = await eventsWhile(() => set({ userId: 'ada', name: 'A.' }))
    assert.equal(updated?.type, 'user.updated')
  })
})
