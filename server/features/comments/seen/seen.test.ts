/** `commentannotations/count/get` and `commentannotations/read`: which comments of threads users have seen. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { addPermissions } from '#contract/access/permissions.ts'
import { addComments } from '#contract/comments/comments.ts'
import { countThreads, readThreads } from '#contract/comments/seen.ts'
import { deleteThreads } from '#contract/comments/threads.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { Client } from '#testing/client.ts'
import { sharedServer } from '#testing/server.ts'
import { addThread, comment, newKeyWithDocuments, ON_ROADMAP, organizationId } from '#testing/threads.ts'
import { refused, refusedField } from '../../../../test/conformance/support/refused.ts'

const server = await sharedServer()
const count = async (key: Client, userId: string, more: object = {}) =>
  (await key.call(countThreads, { organizationId, documentIds: ['roadmap'], userId, ...more })).roadmap
const read = (key: Client, userId: string, annotationIds: string[], more: object = {}) =>
  key.call(readThreads, { ...ON_ROADMAP, userId, annotationIds, ...more })
const reply = (key: Client, annotationId: string, userId: string, commentId?: number) =>
  key.call(addComments, { ...ON_ROADMAP, annotationId, commentData: [comment(userId, { commentId })] })

describe('threads.count', () => {
  it('counts threads, and those that the user has not seen to the end', async () => {
    const key = await newKeyWithDocuments(server)
    const [first] = [await addThread(key), await addThread(key)]
    assert.deepEqual(await count(key, 'ada'), { total: 2, unread: 0 }, 'an author has seen the own thread')
    assert.deepEqual(await count(key, 'bob'), { total: 2, unread: 2 })
    await reply(key, first ?? '', 'bob')
    assert.deepEqual(await count(key, 'ada'), { total: 2, unread: 1 })
    await read(key, 'ada', [first ?? ''])
    assert.deepEqual(await count(key, 'ada'), { total: 2, unread: 0 })
    await key.call(deleteThreads, ON_ROADMAP)
    assert.deepEqual(await count(key, 'ada'), { total: 0, unread: 0 })
  })

  it('has 0 and 0 for a document without threads, and for one that does not exist', async () => {
    const key = await newKeyWithDocuments(server)
    await addThread(key)
    const documentIds = ['plan', 'unknown', 'roadmap']
    const counts = await key.call(countThreads, { organizationId, documentIds, userId: 'bob' })
    const none = { total: 0, unread: 0 }
    assert.deepEqual(counts, { plan: none, unknown: none, roadmap: { total: 1, unread: 1 } })
  })

  it('counts only the given statuses, at least one and at most 30 documents', async () => {
    const key = await newKeyWithDocuments(server)
    await addThread(key)
    assert.deepEqual(await count(key, 'bob', { statusIds: ['OPEN'] }), { total: 1, unread: 1 })
    assert.deepEqual(await count(key, 'bob', { statusIds: ['DONE'] }), { total: 0, unread: 0 })
    const post = (documentIds: string[]) => key.post(countThreads.path, { organizationId, documentIds, userId: 'bob' })
    refusedField(await post([]), 'documentIds', /at least 1 item/)
    const many = Array.from({ length: LIMITS.filteredIdsMax + 1 }, (_, nth) => `d${nth}`)
    refusedField(await post(many), 'documentIds', /not have more than 30 items/)
  })

  it('ignores filters about agents', async () => {
    const key = await newKeyWithDocuments(server)
    await addThread(key)
    const filters = { agentId: 'checker', executionId: 'x', agentType: 'custom', agentSource: 'external' }
    const all = { total: 1, unread: 1 }
    assert.deepEqual(await count(key, 'bob', { ...filters, agentSuggestions: true, agentComments: true }), all)
  })

  it('counts for a user only visible threads', async () => {
    const key = await newKeyWithDocuments(server)
    await addThread(key, { visibility: { type: 'restricted', userIds: ['bob'] } })
    await addThread(key, { visibility: { type: 'organizationPrivate', organizationId } })
    await addThread(key, { context: { access: { team: 'x' } } })
    const totals = async () => Promise.all(['ada', 'bob', 'eve'].map(async (user) => (await count(key, user))?.total))
    assert.deepEqual(await totals(), [2, 1, 0])
    const resources = [{ type: 'organization' as const, id: organizationId }]
    await key.call(addPermissions, { user: { userId: 'eve' }, permissions: { resources } })
    assert.deepEqual(await totals(), [2, 1, 1])
  })
})

describe('threads.read', () => {
  it('marks one thread as seen up to a comment, and never less', async () => {
    const key = await newKeyWithDocuments(server)
    const id = await addThread(key, {
      commentData: [comment('ada', { commentId: 1 }), comment('ada', { commentId: 2 })],
    })
    assert.deepEqual(Object.keys(await read(key, 'bob', [id], { commentId: 1 })), [id])
    assert.equal((await count(key, 'bob'))?.unread, 1)
    await read(key, 'bob', [id], { commentId: 2 })
    await read(key, 'bob', [id], { commentId: 1 })
    assert.equal((await count(key, 'bob'))?.unread, 0)
    await reply(key, id, 'ada', 3)
    assert.equal((await count(key, 'bob'))?.unread, 1)
  })

  it('fails only for unknown threads and comments', async () => {
    const key = await newKeyWithDocuments(server)
    const id = await addThread(key)
    const results = await read(key, 'bob', [id, 'unknown', id])
    assert.deepEqual([results[id]?.success, results.unknown?.success], [true, false])
    assert.deepEqual(await read(key, 'bob', [id], { commentId: 5 }), {
      [id]: { success: false, id, message: 'There is no such comment.', code: 'not-found', retryable: false },
    })
  })

  it('is refused with a comment and several threads, and on unknown documents', async () => {
    const key = await newKeyWithDocuments(server)
    const post = (data: object) =>
      key.post(readThreads.path, { ...ON_ROADMAP, userId: 'bob', annotationIds: ['a', 'b'], ...data })
    refusedField(await post({ commentId: 1 }), 'commentId', 'commentId is given for one thread only')
    assert.equal(refused(await post({ documentId: 'unknown' }), 'NOT_FOUND').reason, 'document_does_not_exist')
  })
})
