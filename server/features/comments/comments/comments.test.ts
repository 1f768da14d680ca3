/** `commentannotations/comments/*`: adding, reading, changing and deleting the comments of a thread. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { addComments, deleteComments, getComments, updateComments } from '#contract/comments/comments.ts'
import { setSubscriptions } from '#contract/comments/subscriptions.ts'
import { getThreads } from '#contract/comments/threads.ts'
import { LIMITS } from '#contract/core/limits.ts'
import { listEvents } from '#contract/events/events.ts'
import { updateNotificationConfig } from '#contract/keys/notification-config.ts'
import { getNotifications } from '#contract/notifications/notifications.ts'
import { setDocumentAccess } from '#contract/resources/documents.ts'
import type { Client } from '#testing/client.ts'
import { sharedServer } from '#testing/server.ts'
import { addThread, comment, newKeyWithDocuments, ON_ROADMAP, organizationId, readThread } from '#testing/threads.ts'
import { apiKeyOf } from '../../../../test/conformance/support/callers.ts'
import { refused, refusedField } from '../../../../test/conformance/support/refused.ts'

const server = await sharedServer()
const THREAD = { ...ON_ROADMAP, annotationId: 'a' }
const tag = (userId: string) => ({ userId, contact: { userId }, text: `@${userId}` })

/** Returns a key with the thread `a`: comment 1 by ada, 2 by bob, 3 by ada; its times are in the past. */
async function newKeyWithThread(): Promise<Client> {
  const key = await newKeyWithDocuments(server)
  const commentData = ['ada', 'bob', 'ada'].map((userId, nth) => comment(userId, { commentId: nth + 1 }))
  await addThread(key, { annotationId: 'a', commentData, createdAt: 1_000, lastUpdated: 1_000 })
  return key
}
const idsOf = async (key: Client) => (await key.call(getComments, THREAD)).map((one) => one?.commentId)

describe('comments.add', () => {
  it('adds at the end, returns the numbers, and moves lastUpdated of the thread', async () => {
    const key = await newKeyWithThread()
    const added = await key.call(addComments, {
      ...THREAD,
      commentData: [comment('eve', { commentId: 9 }), comment('eve')],
    })
    assert.equal(added[0], 9)
    assert.ok((added[1] ?? 0) >= 100_000)
    assert.deepEqual(await idsOf(key), [1, 2, 3, ...added])
    const thread = await readThread(key, 'a')
    assert.ok(thread.lastUpdated > 1_000)
    assert.equal(thread.createdAt, 1_000)
    assert.equal(Object.keys(thread.subscribedUsers).length, 3)
  })

  it('takes `comments` for `commentData`, and refuses neither and both', async () => {
    const key = await newKeyWithThread()
    assert.equal((await key.call(addComments, { ...THREAD, comments: [comment('eve')] })).length, 1)
    refusedField(await key.post(addComments.path, THREAD), 'commentData', 'commentData is required')
    const both = { ...THREAD, comments: [comment('eve')], commentData: [comment('eve')] }
    refusedField(await key.post(addComments.path, both), 'comments')
  })

  it('adds mentions to the thread; a mention needs its text here', async () => {
    const key = await newKeyWithThread()
    const mention = comment('eve', { taggedUserContacts: [tag('zoe'), tag('bob')] })
    await key.call(addComments, { ...THREAD, commentData: [mention] } as never)
    assert.deepEqual((await readThread(key, 'a')).mentionedUserIds, ['zoe', 'bob'])
    const without = comment('eve', { taggedUserContacts: [{ userId: 'zoe', contact: { userId: 'zoe' } }] })
    const field = 'commentData[0].taggedUserContacts[0].text'
    refusedField(await key.post(addComments.path, { ...THREAD, commentData: [without] }), field, `${field} is required`)
  })

  it('refuses a number that exists, and adds none of the call', async () => {
    const key = await newKeyWithThread()
    const commentData = [comment('eve'), comment('eve', { commentId: 2 })]
    const { reason, details } = refused(await key.post(addComments.path, { ...THREAD, commentData }), 'ALREADY_EXISTS')
    assert.deepEqual([reason, details], ['comment_exists', { commentIds: [2] }])
    assert.deepEqual(await idsOf(key), [1, 2, 3])
  })

  it('notifies the people concerned of a comment with triggerNotification, which it does not store', async () => {
    const key = await newKeyWithThread()
    await key.call(updateNotificationConfig, { useNotificationService: true })
    await key.call(addComments, {
      ...THREAD,
      commentData: [comment('eve', { triggerNotification: true }), comment('eve')],
    })
    const told = await key.call(getNotifications, { organizationId, userId: 'ada' })
    assert.deepEqual(
      told.map(({ actionType, targetAnnotationId }) => [actionType, targetAnnotationId]),
      [['added', 'a']],
    )
    assert.doesNotMatch(JSON.stringify(await key.call(getComments, THREAD)), /trigger/)
  })

  it('verifies every author on request: an error, and nothing is written', async () => {
    const key = await newKeyWithThread()
    await key.call(setDocumentAccess, { organizationId, documentIds: ['roadmap'], accessType: 'restricted' })
    const call = { ...THREAD, commentData: [comment('eve')], verifyUserPermissions: true }
    assert.equal(refused(await key.post(addComments.path, call), 'PERMISSION_DENIED').reason, 'author_without_access')
    assert.deepEqual(await idsOf(key), [1, 2, 3])
    assert.equal((await key.post(addComments.path, { ...call, verifyUserPermissions: false })).http, 200)
  })

  it('has no fields of threads, and no triggerActivities', async () => {
    const key = await newKeyWithThread()
    for (const field of ['visibility', 'type', 'triggerActivities']) {
      const answer = await key.post(addComments.path, {
        ...THREAD,
        commentData: [{ ...comment('eve'), [field]: true }],
      })
      refusedField(answer, `commentData[0].${field}`)
    }
  })

  it('names what is unknown: organization, document or thread', async () => {
    const key = await newKeyWithThread()
    const reasonOf = async (fields: object) =>
      refused(await key.post(addComments.path, { ...THREAD, commentData: [comment('eve')], ...fields }), 'NOT_FOUND')
        .reason
    assert.equal(await reasonOf({ organizationId: 'unknown' }), 'organization_does_not_exist')
    assert.equal(await reasonOf({ documentId: 'unknown' }), 'document_does_not_exist')
    assert.equal(await reasonOf({ documentId: 'plan' }), 'thread_does_not_exist')
    assert.equal(await reasonOf({ annotationId: 'unknown' }), 'thread_does_not_exist')
  })

  it('has a bound: 10,000 comments of a thread', async () => {
    const key = await newKeyWithThread()
    const many = Array.from({ length: 1_000 }, () => ({ from: { userId: 'eve' } }))
    for (let call = 0; call < 9; call++) await key.call(addComments, { ...THREAD, commentData: many })
    const answer = await key.post(addComments.path, { ...THREAD, commentData: many })
    assert.equal(refused(answer, 'RESOURCE_EXHAUSTED').reason, 'thread_full')
    assert.equal((await key.call(addComments, { ...THREAD, commentData: many.slice(3) })).length, 997)
    assert.equal(new Set(await idsOf(key)).size, LIMITS.commentsPerThreadMax)
  })
})

describe('comments.get', () => {
  it('returns all comments as written, those of some authors, or named ones with null for an unknown number', async () => {
    const key = await newKeyWithThread()
    const found = async (fields: object) =>
      (await key.call(getComments, { ...THREAD, ...fields })).map((one) => one?.commentId ?? null)
    assert.deepEqual(await found({}), [1, 2, 3])
    assert.deepEqual(await found({ userIds: ['ada'] }), [1, 3])
    assert.deepEqual(await found({ commentIds: [3, 7, 1] }), [3, null, 1])
    assert.deepEqual(await found({ commentIds: [1, 2], userIds: ['bob'] }), [null, 2])
    const unknown = refused(await key.post(getComments.path, { ...THREAD, annotationId: 'unknown' }), 'NOT_FOUND')
    assert.equal(unknown.reason, 'thread_does_not_exist')
  })
})

describe('comments.update', () => {
  it('replaces each field as a whole, keeps the others, and marks the comment as updated', async () => {
    const key = await newKeyWithThread()
    const first = { progress: { state: 'active', steps: [{ label: 'read' }] }, actions: [{ id: 'go' }] } as const
    await key.call(updateComments, { ...THREAD, commentIds: [2], updatedData: first } as never)
    const updatedData = { commentText: 'new', progress: { state: 'completed' as const } }
    const results = await key.call(updateComments, { ...THREAD, commentIds: [2, 7], updatedData })
    assert.deepEqual(results['2'], { success: true, id: 2, message: 'Comment updated successfully.' })
    assert.deepEqual([results['7']?.success, results['7']?.id], [false, 7])
    const [changed] = await key.call(getComments, { ...THREAD, commentIds: [2] })
    assert.deepEqual(
      [changed?.status, changed?.commentText, changed?.progress],
      ['updated', 'new', { state: 'completed' }],
    )
    assert.deepEqual([changed?.actions, changed?.from], [[{ id: 'go' }], { userId: 'bob' }])
    assert.ok((await readThread(key, 'a')).lastUpdated > 1_000)
  })

  it('changes the comments of some authors, or all of them', async () => {
    const key = await newKeyWithThread()
    const texts = async () => (await key.call(getComments, THREAD)).map((one) => one?.commentText)
    await key.call(updateComments, { ...THREAD, userIds: ['ada'], updatedData: { commentText: 'hers' } })
    assert.deepEqual(await texts(), ['hers', 'by bob', 'hers'])
    assert.deepEqual(Object.keys(await key.call(updateComments, { ...THREAD, updatedData: { commentText: 'all' } })), [
      '1',
      '2',
      '3',
    ])
    assert.deepEqual(await texts(), ['all', 'all', 'all'])
  })

  it('changes times and mentions; the author of the root is the author of the thread', async () => {
    const key = await newKeyWithThread()
    const updatedData = {
      from: { userId: 'zoe' },
      lastUpdated: 5_000,
      createdAt: 4_000,
      taggedUserContacts: [tag('zoe'), tag('bob'), tag('max'), tag('eve'), tag('bob')],
    }
    await key.call(updateComments, { ...THREAD, commentIds: [1], updatedData })
    const thread = await readThread(key, 'a')
    const [root] = thread.comments
    assert.deepEqual([root?.createdAt, root?.lastUpdated], [4_000, '1970-01-01T00:00:05.000Z'])
    assert.deepEqual([thread.from, root?.from], [{ userId: 'zoe' }, { userId: 'zoe' }])
    assert.deepEqual(thread.mentionedUserIds, ['zoe', 'bob', 'max', 'eve'])
    await key.call(updateComments, { ...THREAD, updatedData: { taggedUserContacts: [] } })
    assert.deepEqual((await readThread(key, 'a')).mentionedUserIds, [])
  })

  it('tells in the event of each comment which of its fields the call has changed', async () => {
    const key = await newKeyWithThread()
    const [first] = await key.call(getComments, { ...THREAD, commentIds: [1] })
    const told = async (updatedData: object, triggerNotification = false) => {
      await key.call(updateComments, { ...THREAD, commentIds: [1, 2], updatedData, triggerNotification } as never)
      const { events } = await key.call(listEvents, { types: ['comment.updated'] })
      return events.slice(0, 2).map(({ after }) => (after as { fields?: string[] }).fields)
    }
    const { from, commentText, createdAt } = first ?? assert.fail()
    const sameForFirst = { from, commentText, createdAt }
    assert.deepEqual(await told({ ...sameForFirst, commentHtml: '<p>New</p>' }), [
      ['commentHtml', 'commentText', 'from'], // of comment 2, which bob had written
      ['commentHtml'],
    ])
    assert.deepEqual(await told({ lastUpdated: 2_000, commentHtml: '<p>New</p>' }), [['lastUpdated'], ['lastUpdated']])
    assert.deepEqual(await told({ commentHtml: '<p>New</p>' }, true), [[], []], 'only told once more')
  })

  it('lets the author and the mentioned users of a change follow the thread, unless they have unsubscribed', async () => {
    const key = await newKeyWithThread()
    const followers = async () =>
      Object.values((await readThread(key, 'a')).subscribedUsers).map(({ user }) => user.userId)
    const before = await followers()
    await key.call(setSubscriptions, {
      ...{ ...ON_ROADMAP, userId: 'out', annotationIds: ['a'], subscription: 'unsubscribed' },
    })
    const updatedData = { from: { userId: 'zoe' }, taggedUserContacts: [tag('eve'), tag('out')] }
    await key.call(updateComments, { ...THREAD, commentIds: [1], updatedData })
    assert.deepEqual((await followers()).sort(), [...before, 'eve', 'zoe'].sort())
  })

  it('lists the new author of the root of a private thread', async () => {
    const key = await newKeyWithDocuments(server)
    const visibility = { type: 'restricted' as const, userIds: ['bob'] }
    await addThread(key, { annotationId: 'a', visibility, comments: [comment('ada', { commentId: 1 })] })
    await key.call(updateComments, { ...THREAD, commentIds: [1], updatedData: { from: { userId: 'zoe' } } })
    assert.deepEqual((await readThread(key, 'a')).visibilityConfig.userIds, ['bob', 'ada', 'zoe'])
  })

  it('clears HTML, progress and actions with null', async () => {
    const key = await newKeyWithThread()
    const stored = { commentHtml: '<p>x</p>', progress: { state: 'active' as const }, actions: [{ id: 'retry' }] }
    await key.call(updateComments, { ...THREAD, commentIds: [1], updatedData: stored })
    const updatedData = { commentHtml: null, progress: null, actions: null }
    await key.call(updateComments, { ...THREAD, commentIds: [1], updatedData })
    const [found] = await key.call(getComments, { ...THREAD, commentIds: [1] })
    assert.ok(found)
    assert.deepEqual([found.commentHtml, found.progress, found.actions], [undefined, undefined, undefined])
  })

  it('changes nothing with values that are stored already: no status, no time, no event', async () => {
    const key = await newKeyWithThread()
    const read = () => key.call(getThreads, { ...ON_ROADMAP })
    const before = await read()
    const [found] = await key.call(getComments, { ...THREAD, commentIds: [1] })
    assert.ok(found)
    const { from, commentText, createdAt } = found
    const lastUpdated = Date.parse(found.lastUpdated)
    const all = { from, commentText, createdAt, lastUpdated }
    for (const updatedData of [{ commentText }, { createdAt }, { lastUpdated }, all])
      await key.call(updateComments, { ...THREAD, commentIds: [1], updatedData })
    assert.deepEqual(await read(), before)
    const { events } = await key.call(listEvents, { organizationId, types: ['comment.updated', 'thread.updated'] })
    assert.deepEqual(events, [])
  })

  it('counts the bytes of the comments that it changes, and not of those that stay', async () => {
    const key = await newKeyWithThread()
    const update = (commentText: string, commentIds?: number[]) =>
      key.call(updateComments, { ...THREAD, ...(commentIds && { commentIds }), updatedData: { commentText } })
    const change = async () => {
      await update('one', [1])
      await update('all')
      const values = [apiKeyOf(key)]
      const { rows } = await server.db.query(
        'select t.bytes from threads t join organizations o using (organization_key) where o.api_key_id = $1',
        values,
      )
      return rows
    }
    await change()
    const before = await change()
    assert.equal(before.length, 1)
    assert.deepEqual(await change(), before)
  })

  it('refuses no change, null, and triggerNotification inside updatedData', async () => {
    const key = await newKeyWithThread()
    const post = (updatedData: object) => key.post(updateComments.path, { ...THREAD, updatedData })
    refusedField(await post({}), 'updatedData')
    refusedField(await post({ commentText: null }), 'updatedData.commentText')
    refusedField(await post({ triggerNotification: true }), 'updatedData.triggerNotification')
    assert.equal(
      (await key.post(updateComments.path, { ...THREAD, updatedData: { commentText: 'x' }, triggerNotification: true }))
        .http,
      200,
    )
  })

  it('has a bound: 16 megabytes of a thread', async () => {
    const key = await newKeyWithThread()
    await key.call(addComments, { ...THREAD, commentData: Array.from({ length: 260 }, () => comment('eve')) })
    const updatedData = { commentHtml: 'x'.repeat(LIMITS.commentHtmlCharactersMax) }
    const answer = await key.post(updateComments.path, { ...THREAD, updatedData })
    assert.equal(refused(answer, 'RESOURCE_EXHAUSTED').reason, 'thread_full')
  })
})

describe('comments.delete', () => {
  it('deletes named comments, those of some authors, or all; an unknown number has success: false', async () => {
    const key = await newKeyWithThread()
    const mention = (commentId: number, ...userIds: string[]) =>
      key.call(updateComments, {
        ...{ ...THREAD, commentIds: [commentId], updatedData: { taggedUserContacts: userIds.map(tag) } },
      })
    await mention(2, 'eve')
    await mention(3, 'max', 'eve', 'bob')
    const results = await key.call(deleteComments, { ...THREAD, commentIds: [2, 7] })
    assert.deepEqual([results['2']?.success, results['7']?.success], [true, false])
    assert.deepEqual(await idsOf(key), [1, 3])
    const thread = await readThread(key, 'a')
    assert.deepEqual(thread.mentionedUserIds, ['max', 'eve', 'bob'])
    assert.ok(thread.lastUpdated > 1_000)
    const added = await key.call(addComments, { ...THREAD, commentData: [comment('bob', { commentId: 2 })] })
    assert.deepEqual(added, [2])
    await key.call(deleteComments, { ...THREAD, userIds: ['ada'] })
    assert.deepEqual(await idsOf(key), [2])
  })

  it('deletes the thread with its last comment', async () => {
    const key = await newKeyWithThread()
    assert.equal(Object.keys(await key.call(deleteComments, THREAD)).length, 3)
    assert.deepEqual(await key.call(getThreads, { organizationId, annotationIds: ['a'] }), [null])
    assert.equal(refused(await key.post(deleteComments.path, THREAD), 'NOT_FOUND').reason, 'thread_does_not_exist')
  })
})
