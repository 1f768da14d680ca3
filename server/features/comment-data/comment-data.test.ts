/** The promises of exports and imports of threads, notifications and activities (rules/comments.md#moving). */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { addPermissions } from '#contract/access/permissions.ts'

import { listCommentData, type StoredDataKind, setCommentData } from '#contract/comments/comment-data.ts'
import { addComments } from '#contract/comments/comments.ts'
import { readThreads } from '#contract/comments/seen.ts'
import { setSubscriptions } from '#contract/comments/subscriptions.ts'
import { deleteThreads } from '#contract/comments/threads.ts'
import type { ResultOf } from '#contract/core/operation.ts'
import { listEvents } from '#contract/events/events.ts'
import { updateActivityConfig } from '#contract/keys/activity-config.ts'
import { updateNotificationConfig } from '#contract/keys/notification-config.ts'
import { getNotifications, updateNotifications } from '#contract/notifications/notifications.ts'
import { setNotificationPreferences } from '#contract/notifications/preferences.ts'
import { deleteUserData } from '#contract/users/user-data.ts'
import { type Client, pagesOf } from '#testing/client.ts'
import { until } from '#testing/eventually.ts'
import { sharedServer } from '#testing/server.ts'
import { addThread, comment, newKeyWithDocuments, ON_ROADMAP, organizationId, readThread } from '#testing/threads.ts'
import { refusedField } from '../../../test/conformance/support/refused.ts'

const server = await sharedServer()

type Stored = ResultOf<typeof listCommentData>
const KINDS: StoredDataKind[] = [
  'threads',
  'notifications',
  'notificationRecipients',
  'notificationPreferences',
  'activities',
]

const list = (key: Client, kind: StoredDataKind): Promise<Stored> => key.call(listCommentData, { organizationId, kind })

/** Copies everything of one key to another. */
async function copy(from: Client, to: Client): Promise<void> {
  for (const kind of KINDS) {
    const page = await list(from, kind)
    const filled = Object.fromEntries(Object.entries(page).filter(([, records]) => records.length > 0))
    if (Object.keys(filled).length > 0)
      assert.deepEqual(await to.call(setCommentData, { organizationId, ...filled }), [])
  }
}

const everythingOf = (key: Client): Promise<Stored[]> => Promise.all(KINDS.map((kind) => list(key, kind)))

/** A thread with two comments that Bob follows and Eve has muted, and everything that it has triggered. */
async function newDiscussion(): Promise<Client> {
  const key = await newKeyWithDocuments(server)
  const taggedUserContacts = ['zoe', 'bob', 'max'].map((userId) => ({ text: '@', userId, contact: { userId } }))
  await key.call(updateActivityConfig, { activityServiceConfig: { isEnabled: true, immutable: true } })
  await key.call(updateNotificationConfig, { useNotificationService: true })
  await addThread(key, {
    annotationId: 'pricing',
    visibility: { type: 'organizationPrivate', organizationIds: ['acme', 'globex'] },
    comments: [
      comment('ada', { commentId: 1, triggerNotification: true, triggerActivities: true, taggedUserContacts }),
      comment('bob', { commentId: 2 }),
    ],
  })
  const at = { ...ON_ROADMAP, annotationIds: ['pricing'] }
  await key.call(readThreads, { ...at, userId: 'bob' })
  await key.call(setSubscriptions, { ...at, userId: 'eve', subscription: 'unsubscribed' })
  await key.call(setNotificationPreferences, {
    organizationId,
    documentIds: ['roadmap'],
    userIds: ['bob'],
    config: { inbox: 'MINE' },
  })
  const [notification] = await key.call(getNotifications, ON_ROADMAP)
  await key.call(updateNotifications, {
    organizationId,
    notifications: [{ id: notification?.id ?? '', readByUserIds: ['bob'], persistReadForUsers: true }],
  })
  return key
}

describe('comment-data.list and comment-data.set', () => {
  it('copy threads, subscriptions, what was seen, notifications, preferences and activities, with ids and times', async () => {
    const [from, to] = [await newDiscussion(), await newKeyWithDocuments(server)]
    await copy(from, to)
    assert.deepEqual(await everythingOf(to), await everythingOf(from))
    const { metadata: _of, ...original } = await readThread(from, 'pricing')
    const { metadata: _to, ...copied } = await readThread(to, 'pricing')
    assert.deepEqual(copied, original)
    for (const page of await everythingOf(from)) assert.ok(Object.values(page).flat().length > 0)
  })

  it('count a time of seeing that has not come yet as now, so that no mail about a change is missed', async () => {
    const key = await newDiscussion()
    const ofBob = { documentId: 'roadmap', annotationId: 'pricing', userId: 'bob', seenThrough: 2 }
    await key.call(setCommentData, { organizationId, threadUsers: [{ ...ofBob, seenAt: Date.now() + 3_600_000 }] })
    const { threadUsers } = await list(key, 'threads')
    const seenAt = threadUsers?.find(({ userId }) => userId === 'bob')?.seenAt ?? 0
    assert.ok(seenAt > 0 && seenAt <= Date.now(), String(seenAt))
  })

  it('map the organizations of a private thread to those of the other key', async () => {
    const [from, to] = [await newDiscussion(), await newKeyWithDocuments(server)]
    await copy(from, to)
    const { threads: [thread] = [] } = await list(to, 'threads')
    assert.deepEqual(thread?.visibility, {
      type: 'organizationPrivate',
      organizationId: 'acme',
      organizationIds: ['acme', 'globex'],
      userIds: ['ada'],
    })
    await to.call(updateNotificationConfig, { useNotificationService: true })
    const acme = { type: 'organization' as const, id: 'acme' }
    await to.call(addPermissions, { user: { userId: 'member' }, permissions: { resources: [acme] } })
    const more = [comment('ada', { triggerNotification: true })]
    await to.call(addComments, { ...ON_ROADMAP, annotationId: 'pricing', commentData: more })
    const ofMember = await to.call(getNotifications, { organizationId, userId: 'member' })
    assert.equal(ofMember.length, 2, 'that of the copy, and the new one')
  })

  it('notify nobody, and write events without marks', async () => {
    const from = await newDiscussion()
    const to = await newKeyWithDocuments(server)
    await to.call(updateNotificationConfig, { useNotificationService: true })
    const { threads = [], comments = [] } = await list(from, 'threads')
    await to.call(setCommentData, { organizationId, threads, comments })
    assert.deepEqual(await to.call(getNotifications, ON_ROADMAP), [])
    const { events } = await to.call(listEvents, { organizationId, types: ['thread.*', 'comment.*'] })
    assert.deepEqual(
      events.map(({ type, after }) => {
        const { commentId, notify } = (after ?? {}) as { commentId?: number; notify?: boolean }
        return [type, commentId, notify]
      }),
      [
        ['comment.added', 2, undefined],
        ['thread.added', 1, undefined],
      ],
    )
  })

  it('may be repeated without an effect, and makes differing records equal', async () => {
    const [from, to] = [await newDiscussion(), await newKeyWithDocuments(server)]
    await copy(from, to)
    const eventsOf = async () => (await to.call(listEvents, { organizationId })).events.length
    const before = await eventsOf()
    await copy(from, to)
    assert.equal(await eventsOf(), before)
    await from.call(addComments, { ...ON_ROADMAP, annotationId: 'pricing', commentData: [comment('eve')] })
    await copy(from, to)
    assert.deepEqual(await everythingOf(to), await everythingOf(from))
  })

  it('tell what they change in threads and comments, with the values before', async () => {
    const key = await newDiscussion()
    const { threads: [thread] = [], comments: [reply] = [] } = await list(key, 'threads')
    assert.ok(thread && reply)
    const told = async (data: object) => {
      const types = ['thread.*', 'comment.*'] as const
      const before = (await key.call(listEvents, { types: [...types] })).events.length
      assert.deepEqual(await key.call(setCommentData, { organizationId, ...data }), [])
      const { events } = await key.call(listEvents, { types: [...types] })
      return events.slice(0, events.length - before).map(({ type, before: was, after }) => [type, was, after])
    }
    const annotationId = 'pricing'
    const isImported = true
    const status = { ...thread.status, id: 'DONE', name: 'Done', type: 'terminal' as const }
    assert.deepEqual(
      await told({ threads: [{ ...thread, status, assignedTo: { userId: 'bob' }, visibility: { type: 'public' } }] }),
      [
        [
          'thread.visibility_changed',
          { annotationId, visibility: 'organizationPrivate' },
          { annotationId, visibility: 'public', isImported },
        ],
        ['thread.assigned', { annotationId, assigned: false }, { annotationId, assigned: true, isImported }],
        [
          'thread.status_changed',
          { annotationId, statusId: 'OPEN', statusName: 'Open', statusType: 'default' },
          { annotationId, statusId: 'DONE', statusName: 'Done', statusType: 'terminal', isImported },
        ],
      ],
    )
    assert.deepEqual(await told({ comments: [{ ...reply, commentText: 'Imported' }] }), [
      ['comment.updated', undefined, { annotationId, commentId: 2, fields: ['commentText'], isImported }],
    ])
    const hidden = {
      ...thread,
      annotationId: 'hidden',
      visibility: { type: 'public' },
      context: { access: { team: 'red' } },
    }
    assert.deepEqual(
      (await told({ threads: [hidden] })).map(([type, , after]) => [
        type,
        (after as { visibility?: string }).visibility,
      ]),
      [['thread.added', 'restricted']],
    )
  })

  it('give an existing notification its new time for all whom it names, also those who are not imported', async () => {
    const to = await newDiscussion()
    const { notifications: [notification] = [] } = await list(to, 'notifications')
    if (notification === undefined) assert.fail()
    const timestamp = notification.timestamp + 60_000
    assert.deepEqual(
      await to.call(setCommentData, { organizationId, notifications: [{ ...notification, timestamp }] }),
      [],
    )
    const member = { type: 'organization' as const, id: organizationId }
    for (const userId of ['zoe', 'max']) {
      await to.call(addPermissions, { user: { userId }, permissions: { resources: [member] } })
      const inbox = await to.call(getNotifications, { organizationId, userId })
      assert.deepEqual(
        inbox.map((one) => one.timestamp),
        [timestamp],
      )
    }
  })

  it('keep contexts of notifications from before their values were checked, but no name of visibility', async () => {
    const to = await newDiscussion()
    const { notifications: [one] = [] } = await list(to, 'notifications')
    if (one === undefined) assert.fail()
    const set = (access: object) =>
      to.post(setCommentData.path, { organizationId, notifications: [{ ...one, context: { access } }] })
    const access = { team: ['red', 'blue'], isOpen: true, level: null }
    assert.equal((await set(access)).http, 200)
    const { notifications: [stored] = [] } = await list(to, 'notifications')
    assert.deepEqual(stored?.context, { access })
    refusedField(await set({ organizationPrivate: 'x' }), 'notifications[0].context.access.organizationPrivate')
  })

  it('keep the positions of existing comments, and give the next free one to a comment whose position is taken', async () => {
    const [from, to] = [await newDiscussion(), await newKeyWithDocuments(server)]
    await addThread(to, { annotationId: 'pricing', comments: [comment('kim', { commentId: 7 })] })
    await copy(from, to)
    const thread = await readThread(to, 'pricing')
    assert.deepEqual(
      thread.comments.map(({ commentId }) => commentId),
      [7, 2, 1],
    )
    await to.call(addComments, {
      ...ON_ROADMAP,
      annotationId: 'pricing',
      commentData: [comment('kim', { commentId: 8 })],
    })
    assert.equal((await readThread(to, 'pricing')).comments.at(-1)?.commentId, 8)
  })

  it('list records that cannot be written, and write the rest', async () => {
    const [from, to] = [await newDiscussion(), await newKeyWithDocuments(server)]
    const [threads, notifications, recipients, , activities] = await everythingOf(from)
    const [thread] = threads?.threads ?? []
    if (thread === undefined) assert.fail()
    const failed = await to.call(setCommentData, {
      organizationId,
      threads: [{ ...thread, documentId: 'unknown' }, thread],
      comments: (threads?.comments ?? []).map((one) => ({ ...one, annotationId: 'unknown' })),
      threadUsers: [{ documentId: 'roadmap', annotationId: 'unknown', userId: 'ada' }],
      notifications: (notifications?.notifications ?? []).map((one) => ({ ...one, targetCommentId: 99 })),
      notificationRecipients: recipients?.notificationRecipients ?? [],
    })
    assert.deepEqual(
      failed.map(({ list, index, code, message }) => [list, index, code, message]),
      [
        ['threads', 0, 'not-found', 'The document does not exist.'],
        ['comments', 0, 'not-found', 'The thread does not exist.'],
        ['threadUsers', 0, 'not-found', 'The thread does not exist.'],
        ['notifications', 0, 'not-found', 'The comment does not exist.'],
        ...(recipients?.notificationRecipients ?? []).map((_, index) => [
          'notificationRecipients',
          index,
          'not-found',
          'The notification does not exist.',
        ]),
      ],
    )
    assert.equal((await readThread(to, 'pricing')).comments.length, 1)
    const [activity] = activities?.activities ?? []
    if (activity === undefined) assert.fail()
    assert.deepEqual(await to.call(setCommentData, { organizationId, activities: [activity] }), [])
    const again = await to.call(setCommentData, { organizationId, activities: [{ ...activity, actionType: 'other' }] })
    assert.equal(again[0]?.message, 'The activity exists, differs, and is immutable.')
    assert.deepEqual(await to.call(setCommentData, { organizationId, activities: [activity] }), [])
    const nothing = await to.post(setCommentData.path, { organizationId })
    assert.equal(nothing.body.error.status, 'INVALID_ARGUMENT')
  })

  it('store the users whom an imported thread names, so that an erasure finds them', async () => {
    const [from, to] = [await newDiscussion(), await newKeyWithDocuments(server)]
    const { threads = [], comments = [] } = await list(from, 'threads')
    await to.call(setCommentData, { organizationId, threads, comments })
    await to.call(deleteUserData, { userIds: ['bob'], organizationIds: [organizationId] })
    await until('erasure', async () => (await readThread(to, 'pricing')).comments.length === 1)
  })

  it('have pages of any size, in the order of ids', async () => {
    const key = await newKeyWithDocuments(server)
    await addThread(key, { annotationId: 'b' })
    await addThread(key, { annotationId: 'a' })
    await addThread(key, { annotationId: 'a' }, { documentId: 'plan' })
    await addThread(key, { annotationId: 'c' })
    await key.call(deleteThreads, { ...ON_ROADMAP, annotationIds: ['c'] })
    const read: string[] = []
    for await (const { data } of pagesOf((pageToken) =>
      key.post(listCommentData.path, { organizationId, kind: 'threads', pageSize: 1, pageToken }),
    ))
      for (const { annotationId, documentId } of data.threads) read.push(`${annotationId} ${documentId}`)
    assert.deepEqual(read, ['a plan', 'a roadmap', 'b roadmap'])
  })
})
