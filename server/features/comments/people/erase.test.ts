/** Users in threads: the data that `users/data/get` returns about them, and the data that an erasure removes. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { addActivities } from '#contract/activities/activities.ts'
import { readThreads } from '#contract/comments/seen.ts'
import { setSubscriptions } from '#contract/comments/subscriptions.ts'
import { getThreads, updateThreads } from '#contract/comments/threads.ts'
import { updateActivityConfig } from '#contract/keys/activity-config.ts'
import { updateNotificationConfig } from '#contract/keys/notification-config.ts'
import { addNotification, getNotifications, updateNotifications } from '#contract/notifications/notifications.ts'
import { setNotificationPreferences } from '#contract/notifications/preferences.ts'
import { getUserData } from '#contract/users/user-data.ts'
import type { Client } from '#testing/client.ts'
import { completeErasure } from '#testing/jobs.ts'
import { sharedServer } from '#testing/server.ts'
import { addThread, comment, newKeyWithDocuments, ON_ROADMAP, organizationId, readThread } from '#testing/threads.ts'
import { dumpEverything } from '../../../../test/conformance/support/tables.ts'

const server = await sharedServer()

const mention = (userId: string) => ({
  taggedUserContacts: [{ userId, contact: { userId, name: `Name of ${userId}` } }],
})

/** Returns everything that is stored about threads of the key. */
async function stored(key: Client): Promise<string> {
  const { rows } = await server.db.query(
    `select t.content, t.mentioned_user_ids,
            (select jsonb_agg(to_jsonb(c)) from thread_comments c where c.annotation_id = t.annotation_id and c.organization_key = t.organization_key) as comments,
            (select jsonb_agg(to_jsonb(u)) from thread_users u where u.annotation_id = t.annotation_id and u.organization_key = t.organization_key) as users
       from threads t join organizations o on o.organization_key = t.organization_key where o.api_key_id = $1`,
    [key.headers['x-service-api-key']],
  )
  return JSON.stringify(rows)
}

describe('the data of a user', () => {
  it('have the comments, mentions and activities of the user, page by page', async () => {
    const key = await newKeyWithDocuments(server)
    const commentData = Array.from({ length: 220 }, (_, nth) =>
      nth % 2 === 0
        ? comment('bob', { commentId: 1000 + nth, ...mention('ada') })
        : comment('ada', { commentId: 1000 + nth }),
    )
    await addThread(key, { annotationId: 'a', commentData })
    await addThread(key, { annotationId: 'b', commentData: [comment('bob', { commentId: 1 })] }, { documentId: 'plan' })
    await key.call(updateActivityConfig, { activityServiceConfig: { isEnabled: true } })
    for (const part of ['x', 'y']) {
      const activity = { featureType: 'recorder' as const, actionType: 'read', actionUser: { userId: 'ada' } }
      const activities = Array.from({ length: 60 }, (_, nth) => ({ id: `${part}${nth}`, ...activity }))
      await key.call(addActivities, { ...ON_ROADMAP, activities })
    }
    const [comments, mentions, activities]: string[][] = [[], [], []]
    for (let pageToken: string | undefined; ; ) {
      const { body } = await key.post(getUserData.path, {
        organizationId,
        userId: 'ada',
        ...(pageToken && { pageToken }),
      })
      const { data, nextPageToken } = body.result
      for (const one of data.comments)
        assert.deepEqual([one.documentId, one.annotationId, one.from.userId], ['roadmap', 'a', 'ada'])
      comments?.push(...data.comments.map((one: { commentId: number }) => String(one.commentId)))
      mentions?.push(...data.mentions.map((one: { commentId: number }) => String(one.commentId)))
      activities?.push(...data.activities.map((one: { id: string }) => one.id))
      pageToken = nextPageToken
      if (pageToken === undefined) break
    }
    for (const [ids, count] of [
      [comments, 110],
      [mentions, 110],
      [activities, 120],
    ] as const) {
      assert.equal(ids?.length, count)
      assert.equal(new Set(ids).size, count)
    }
    const everywhere = await key.post(getUserData.path, { userId: 'bob' })
    assert.ok(everywhere.body.result.nextPageToken)
  })
})

/**
 * A thread of Bob that mentions Ada and notifies her, which she has read; her subscription and her levels; a
 * notification of her own act.
 */
async function newNotified(): Promise<Client> {
  const key = await newKeyWithDocuments(server)
  await key.call(updateNotificationConfig, { useNotificationService: true })
  const commentData = [comment('bob', { commentId: 1, triggerNotification: true, ...mention('ada') })]
  await addThread(key, { annotationId: 'a', commentData })
  const added = { ...ON_ROADMAP, displayHeadlineMessageTemplate: 'Hello', displayBodyMessage: 'World' }
  await key.call(addNotification, {
    ...{ ...added, notificationId: 'to-ada', notifyAll: false },
    ...{ actionUser: { userId: 'bob', name: 'Bob' }, notifyUsers: [{ userId: 'ada', email: 'ada@example.com' }] },
  })
  await key.call(addNotification, {
    ...{ ...added, notificationId: 'by-ada', notifyAll: false },
    ...{ actionUser: { userId: 'ada' }, notifyUsers: [{ userId: 'bob' }] },
  })
  const notifications = [{ id: 'to-ada', readByUserIds: ['ada'] }]
  await key.call(updateNotifications, { organizationId, notifications })
  const annotationIds = ['a']
  await key.call(setSubscriptions, { ...ON_ROADMAP, userId: 'ada', annotationIds, subscription: 'unsubscribed' })
  await key.call(setNotificationPreferences, { organizationId, userIds: ['ada'], config: { inbox: 'MINE' } })
  return key
}

/** Every place in threads, notifications and activities that can name a user. */
async function newNamedEverywhere(userId: string): Promise<Client> {
  const key = await newKeyWithDocuments(server)
  const user = { userId, name: `Name of ${userId}`, email: `${userId}@example.com` }
  await key.call(updateNotificationConfig, { useNotificationService: true })
  await key.call(updateActivityConfig, { activityServiceConfig: { isEnabled: true } })
  const marks = { triggerNotification: true, triggerActivities: true }
  const tagged = { taggedUserContacts: [{ userId, contact: user, text: `@${user.name}` }] }
  const texts = { commentText: `Ask {{${userId}}}`, commentHtml: `<b>{{${userId}}}</b>` }
  const progress = { state: 'active' as const, visibleToUserIds: [userId] }
  await addThread(key, {
    ...{ annotationId: 'a', assignedTo: user, visibility: { type: 'restricted', userIds: [userId, 'eve'] } },
    comments: [
      comment('bob', { commentId: 1, ...texts, ...marks, ...tagged, progress }),
      comment(userId, { commentId: 2, ...marks }),
    ],
  })
  await addThread(key, { annotationId: 'b', comments: [comment(userId, { commentId: 1 }), comment('bob')] })
  const done = { id: 'D', name: 'D', type: 'terminal' as const }
  const updatedData = { statusUpdatedByUserId: userId, resolvedByUserId: userId, status: done }
  await key.call(updateThreads, { ...ON_ROADMAP, annotationIds: ['b'], updatedData })
  await addThread(key, { annotationId: 'c', comments: [comment('bob')] })
  const annotationIds = ['c']
  await key.call(readThreads, { ...ON_ROADMAP, annotationIds, userId })
  await key.call(setSubscriptions, { ...ON_ROADMAP, annotationIds, userId, subscription: 'unsubscribed' })
  await key.call(setSubscriptions, { ...ON_ROADMAP, userId, subscription: 'unsubscribed' })
  await key.call(setNotificationPreferences, { organizationId, userIds: [userId], config: { inbox: 'MINE' } })
  await key.call(addNotification, {
    ...{ ...ON_ROADMAP, notificationId: 'n', notifyAll: false, actionUser: { userId: 'bob' } },
    ...{ displayHeadlineMessageTemplate: '{actionUser} asks {recipientUser}', displayBodyMessage: 'Hello' },
    displayHeadlineMessageTemplateData: {
      recipientUser: user,
      assignee: user,
      actionUser: { userId: 'bob' },
      what: 'this',
    },
    displayBodyMessageTemplateData: { recipientUser: user },
    notifyUsers: [user, { userId: 'bob' }],
  })
  await key.call(addNotification, {
    ...{ ...ON_ROADMAP, notificationId: 'own', actionUser: user, displayHeadlineMessageTemplate: 'Own' },
    ...{ displayBodyMessage: '', displayBodyMessageTemplateData: { recipientUser: user }, notifyUsers: [user] },
  })
  await key.call(addActivities, {
    ...ON_ROADMAP,
    activities: [{ id: 'own', featureType: 'custom', actionType: 'read', actionUser: user, targetEntityId: 'it' }],
  })
  return key
}

describe('all data that name a user', () => {
  it('are in the export of the user, without the texts of others', async () => {
    const key = await newNamedEverywhere('ada')
    const { mentions, threads, notificationPreferences, activities } = await key.call(getUserData, {
      ...{ organizationId, userId: 'ada' },
    })
    const contact = { userId: 'ada', name: 'Name of ada', email: 'ada@example.com' }
    assert.deepEqual(
      mentions.map(({ createdAt: _, ...mention }) => mention),
      [{ documentId: 'roadmap', annotationId: 'a', commentId: 1, contact, text: '@Name of ada' }],
    )
    const documentId = 'roadmap'
    const seenAt = threads.at(-1)?.seenAt
    assert.ok(seenAt !== undefined && seenAt <= Date.now())
    assert.deepEqual(threads, [
      {
        ...{ documentId, annotationId: 'a', subscription: 'subscribed', contact: { userId: 'ada' } },
        namedAs: ['assignee', 'mentioned', 'visibility'],
      },
      {
        ...{ documentId, annotationId: 'b', subscription: 'subscribed', contact: { userId: 'ada' }, seenThrough: 1 },
        namedAs: ['author', 'statusUpdatedBy', 'resolvedBy'],
      },
      {
        ...{ documentId, annotationId: 'c', subscription: 'unsubscribed', isManual: true, seenThrough: 1, seenAt },
        namedAs: [],
      },
    ])
    assert.deepEqual(
      notificationPreferences.toSorted((one) => (one.documentId ? 1 : -1)),
      [{ config: { inbox: 'MINE' } }, { documentId, config: { inbox: 'NONE', email: 'NONE', slack: 'NONE' } }],
    )
    assert.deepEqual(
      activities.map(({ id, featureType, actionType, targetEntityId }) => [
        ...(featureType === 'custom' ? [id, actionType, targetEntityId] : [featureType, actionType, targetEntityId]),
      ]),
      [
        ['comment', 'comment.add', 'a'],
        ['own', 'read', 'it'],
      ],
    )
    assert.doesNotMatch(JSON.stringify({ mentions, threads }), /Ask/)
  })

  it('are deleted from every table by an erasure, and threads stay readable for others', async () => {
    const key = await newNamedEverywhere('zaphod')
    await completeErasure(key, { userIds: ['zaphod'] })
    for (const [table, rows] of Object.entries(await dumpEverything(server.db)))
      assert.doesNotMatch(rows, /zaphod/, table)
    const [notification] = await key.call(getNotifications, { organizationId, userId: 'bob', notificationIds: ['n'] })
    assert.equal(notification?.displayHeadlineMessage, 'bob asks [erased]')
    assert.deepEqual(notification?.displayHeadlineMessageTemplateData, {
      ...{ recipientUser: '[erased]', assignee: '[erased]', actionUser: { userId: 'bob' }, what: 'this' },
    })
  })
})

describe('the notifications of a user', () => {
  it('are in the data of the user, those of comments without their texts', async () => {
    const key = await newNotified()
    const { notifications } = await key.call(getUserData, { organizationId, userId: 'ada' })
    const of = (id: string) => notifications.find((one) => one.id === id)
    const { timestamp, readAt, ...custom } = of('to-ada') ?? assert.fail()
    assert.ok(timestamp > 0 && Number(readAt) > 0)
    assert.deepEqual(custom, {
      ...{ id: 'to-ada', documentId: 'roadmap', notificationSource: 'custom', isNamed: true },
      ...{ actionUser: { userId: 'bob', name: 'Bob' } },
      ...{ displayHeadlineMessageTemplate: 'Hello', displayBodyMessage: 'World' },
    })
    const [ofComment] = notifications.filter(({ notificationSource }) => notificationSource === 'comment')
    assert.deepEqual([ofComment?.targetAnnotationId, ofComment?.displayBodyMessage], ['a', undefined])
    assert.equal(notifications.length, 2)
    assert.deepEqual((await key.call(getUserData, { organizationId, userId: 'eve' })).notifications, [])
  })

  it('are erased with the subscriptions, the levels and the acts of the user', async () => {
    const key = await newNotified()
    await completeErasure(key, { userIds: ['ada'] })
    const { rows } = await server.db.query(
      `select (select count(*)::int from notification_recipients r where r.organization_key = o.organization_key and r.user_id = 'ada') as recipients,
              (select count(*)::int from notifications n where n.organization_key = o.organization_key and n.actor_id = 'ada') as acts,
              (select count(*)::int from notification_preferences p where p.organization_key = o.organization_key) as preferences,
              (select count(*)::int from thread_users u where u.organization_key = o.organization_key and u.user_id = 'ada') as subscriptions
         from organizations o where o.api_key_id = $1`,
      [key.headers['x-service-api-key']],
    )
    assert.deepEqual(rows, [{ recipients: 0, acts: 0, preferences: 0, subscriptions: 0 }])
    assert.deepEqual((await key.call(getUserData, { organizationId, userId: 'ada' })).notifications, [])
    assert.equal((await readThread(key, 'a')).comments.length, 1)
  })
})

describe('the erasure of a user', () => {
  it('removes comments and mentions, and leaves the comments of others', async () => {
    const key = await newKeyWithDocuments(server)
    const commentData = [
      comment('ada', { commentText: 'mine' }),
      comment('bob', { commentText: 'Ask {{ada}} or {{eve}}', commentHtml: '<i>{{ada}}</i>', ...mention('ada') }),
    ]
    const visibility = { type: 'restricted' as const, userIds: ['ada', 'bob'] }
    await addThread(key, { annotationId: 'mixed', commentData, visibility, assignedTo: { userId: 'ada', name: 'Ada' } })
    await addThread(key, { annotationId: 'own' })
    await addThread(key, { annotationId: 'other', commentData: [comment('bob')] })
    await completeErasure(key, { userIds: ['ada'] })
    const [own] = (await key.call(getThreads, { organizationId, annotationIds: ['own'] })) as unknown[]
    assert.equal(own, null)
    const mixed = await readThread(key, 'mixed')
    assert.deepEqual(
      mixed.comments.map(({ commentText, commentHtml, to }) => [commentText, commentHtml, to]),
      [['Ask [erased] or {{eve}}', '<i>[erased]</i>', []]],
    )
    assert.match(mixed.from.userId, /^erased:/)
    assert.deepEqual([mixed.assignedTo, mixed.mentionedUserIds], [undefined, []])
    assert.deepEqual(mixed.visibilityConfig.userIds, ['bob', mixed.from.userId])
    assert.equal((await readThread(key, 'other')).comments.length, 1)
    assert.doesNotMatch(await stored(key), /\bada\b/i)
    const { body } = await key.post(getUserData.path, { organizationId, userId: 'ada' })
    assert.deepEqual(body.result.data.comments, [])
  })

  it('goes through more threads than one transaction changes', async () => {
    const key = await newKeyWithDocuments(server)
    for (let call = 0; call < 3; call++)
      await key.post('/v2/commentannotations/add', {
        ...{ organizationId, documentId: 'roadmap' },
        commentAnnotations: Array.from({ length: 100 }, () => ({ commentData: [comment('ada'), comment('bob')] })),
      })
    await completeErasure(key, { userIds: ['ada'] })
    assert.doesNotMatch(await stored(key), /"ada"/)
    const { body } = await key.post(getThreads.path, { organizationId })
    assert.equal(body.result.data.length, 300)
  })
})
