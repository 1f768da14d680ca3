/** The lists of sharing: who has access to a document, and with whom it can be shared (rules/access.md#sharing). */
import assert from 'node:assert/strict'
import { beforeAll, describe, it } from 'vitest'
import { getSharing, listSharingTargets } from '#contract/access/sharing.ts'
import { type Answer, type Client, pagesOf } from '#testing/client.ts'
import { sharedServer } from '#testing/server.ts'
import { LATER, newSharingKey, ROADMAP } from '#testing/sharing.ts'
import { asUser } from '#testing/threads.ts'

const server = await sharedServer()
let key: Client

/** Returns `ok`, or the reason of the refusal. */
const outcome = ({ body }: Answer): string => body.error?.reason ?? 'ok'

describe('sharing.get', () => {
  beforeAll(async () => {
    key = await newSharingKey(server)
  })

  it('lists groups, then users with the source of their access, without addresses of others', async () => {
    const ada = await asUser(key, 'ada')
    const { entries, user, canShare, accessRoles, isComplete, accessType, everyone } = await ada.call(
      getSharing,
      ROADMAP,
    )
    assert.deepEqual(user, {
      userId: 'ada',
      accessRole: 'editor',
      via: { type: 'document', id: 'roadmap', inherited: false },
    })
    assert.deepEqual([canShare, accessRoles], [true, ['viewer', 'commenter', 'editor']])
    assert.deepEqual([isComplete, accessType, everyone], [true, 'restricted', false])
    assert.deepEqual(
      entries.map(({ userId, groupId, access, grants }) => [
        userId ?? groupId,
        access?.accessRole,
        access?.via?.type,
        grants.length,
      ]),
      [
        ['design', undefined, undefined, 1],
        ['ada', 'editor', 'document', 1],
        ['cora', 'editor', 'document', 1 - 1],
        ['gil', 'viewer', 'document', 1],
        ['gus', 'editor', 'document', 1],
        ['kim', 'commenter', 'document', 1],
        ['lea', 'editor', 'folder', 0],
        ['tim', 'editor', 'document', 1],
        ['vic', 'viewer', 'document', 1],
      ],
    )
    const of = (id: string) => entries.find(({ userId }) => userId === id)
    assert.deepEqual(of('cora')?.access?.via, {
      ...{ type: 'document', id: 'roadmap', inherited: false, group: 'design', groupName: 'Design' },
    })
    assert.deepEqual(of('lea')?.access?.via, { type: 'folder', id: 'plans', name: 'Plans', inherited: true })
    assert.deepEqual(of('tim')?.grants, [{ accessRole: 'editor', expiresAt: LATER }])
    assert.equal(of('ada')?.email, 'ada@example.com')
    assert.doesNotMatch(JSON.stringify(entries), /hidden@example|zoe|globex/)
    assert.equal((await key.call(getSharing, { ...ROADMAP, userId: 'ada' })).entries[1]?.email, 'ada@example.com')
  })

  it('lists for somebody who is not a member only users with a grant of their own, and no sources above', async () => {
    const gus = await asUser(key, 'gus')
    const { entries, isComplete } = await gus.call(getSharing, ROADMAP)
    assert.equal(isComplete, false)
    assert.deepEqual(
      entries.map(({ userId, groupId }) => userId ?? groupId),
      ['ada', 'gil', 'gus', 'kim', 'tim', 'vic'],
    )
    assert.doesNotMatch(JSON.stringify(entries), /design|Design|plans|Plans|lea|cora/)
    assert.deepEqual(
      (await gus.call(listSharingTargets, ROADMAP)).map(({ userId }) => userId),
      ['ada', 'gil', 'kim', 'tim', 'vic'],
    )
  })

  it('has pages of any size, with each entry once', async () => {
    for (const [userId, operation] of [
      ['ada', getSharing],
      ['gus', getSharing],
      ['ada', listSharingTargets],
      ['gus', listSharingTargets],
    ] as const) {
      const client = await asUser(key, userId)
      const itemsOf = (data: { entries: unknown[] } | unknown[]): unknown[] =>
        Array.isArray(data) ? data : data.entries
      const all = itemsOf((await client.post(operation.path, ROADMAP)).body.result.data)
      const paged: unknown[] = []
      for await (const { data } of pagesOf((pageToken) =>
        client.post(operation.path, { ...ROADMAP, pageSize: 1, pageToken }),
      ))
        paged.push(...itemsOf(data))
      assert.deepEqual(paged, all, userId)
    }
    const token = (await (await asUser(key, 'ada')).post(getSharing.path, { ...ROADMAP, pageSize: 1 })).body.result
      .nextPageToken
    const other = await (await asUser(key, 'gus')).post(getSharing.path, { ...ROADMAP, pageSize: 1, pageToken: token })
    assert.equal(outcome(other), 'page_token_invalid')
  })
})

describe('sharing-targets.list', () => {
  it('finds groups and members by words of names and ids, nobody by an address, and not oneself', async () => {
    key = await newSharingKey(server)
    const ada = await asUser(key, 'ada')
    const ids = async (text?: string) =>
      (await ada.call(listSharingTargets, { ...ROADMAP, ...(text !== undefined && { text }) })).map(
        ({ userId, groupId }) => userId ?? groupId,
      )
    assert.deepEqual(await ids(), ['design', 'sales', 'bob', 'cora', 'eve', 'kim', 'lea', 'tim', 'vic'])
    assert.deepEqual(await ids('ecl'), ['bob'])
    assert.deepEqual(await ids('DES'), ['design'])
    for (const text of ['hidden', 'zoe', 'ada', 'dis', '%', 'gus']) assert.deepEqual(await ids(text), [], text)
  })
})
