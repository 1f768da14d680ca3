/** Users in threads: what `users/data/get` returns of them, and what an erasure removes (comments.md 13). */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { setSubscriptions } from '#contract/comments/subscriptions.ts'
import { getThreads } from '#contract/comments/threads.ts'
import { updateNotificationConfig } from '#contract/keys/notification-config.ts'
import { addNotification, updateNotifications } from '#contract/notifications/notifications.ts'
import { setNotificationPreferences } from '#contract/notifications/preferences.ts'
import { getUserData } from '#contract/users/user-data.ts'
import type { Client } from '#testing/client.ts'
import { sharedServer } from '#testing/server.ts'
import { addThread, comment, newKeyWithDocuments, ON_ROADMAP, organizationId, readThread } from '#testing/threads.ts'
import { erased } from '../../../../test/conformance/support/example-world.ts'

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
  it('13 have the comments of the user, page by page', async () => {
    const key = await newKeyWithDocuments(server)
    const commentData = Array.from({ length: 150 }, (_, nth) =>
      comment(nth % 3 === 0 ? 'bob' : 'ada', { commentId: 1000 + nth }),
    )
    await addThread(key, { annotationId: 'a', commentData })
    await addThread(key, { annotationId: 'b', commentData: [comment('bob', { commentId: 1 })] }, { documentId: 'plan' })
    const ids: string[] = []
    for (let pageToken: string | undefined; ; ) {
      const { body } = await key.post(getUserData.path, {
        organizationId,
        userId: 'ada',
        ...(pageToken && { pageToken }),
      })
      for (const one of body.result.data.comments) {
        assert.deepEqual([one.documentId, one.annotationId, one.from.userId], ['roadmap', 'a', 'ada'])
        ids.push(one.commentId)
      }
      pageToken = body.result.nextPageToken
      if (pageToken === undefined) break
    }
    assert.equal(new Set(ids).size, 100)
    assert.equal(ids.length, 100)
    const everywhere = await key.post(getUserData.path, { userId: 'bob' })
    assert.ok(everywhere.body.result.nextPageToken)
  })
})

/** A thread of Bob that mentions Ada and notifies her, which she has read; her subscription and her levels; a notification of her own act. */
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

describe('the notifications of a user', () => {
  it('13 are in the data of the user, those of comments without their texts', async () => {
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

  it('13 are erased with the subscriptions, the levels and the acts of the user', async () => {
    const key = await newNotified()
    await erased({ apiKey: key }, { userIds: ['ada'] })
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
  it('13 removes comments and mentions, and leaves the comments of others', async () => {
    const key = await newKeyWithDocuments(server)
    const commentData = [
      comment('ada', { commentText: 'mine' }),
      comment('bob', { commentText: 'Ask {{ada}} or {{eve}}', commentHtml: '<i>{{ada}}</i>', ...mention('ada') }),
    ]
    const visibility = { type: 'restricted' as const, userIds: ['ada', 'bob'] }
    await addThread(key, { annotationId: 'mixed', commentData, visibility, assignedTo: { userId: 'ada', name: 'Ada' } })
    await addThread(key, { annotationId: 'own' })
    await addThread(key, { annotationId: 'other', commentData: [comment('bob')] })
    await erased({ apiKey: key }, { userIds: ['ada'] })
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

  it('13 goes through more threads than one transaction changes', async () => {
    const key = await newKeyWithDocuments(server)
    for (let call = 0; call < 3; call++)
      await key.post('/v2/commentannotations/add', {
        ...{ organizationId, documentId: 'roadmap' },
        commentAnnotations: Array.from({ length: 100 }, () => ({ commentData: [comment('ada'), comment('bob')] })),
      })
    await erased({ apiKey: key }, { userIds: ['ada'] })
    assert.doesNotMatch(await stored(key), /"ada"/)
    const { body } = await key.post(getThreads.path, { organizationId })
    assert.equal(body.result.data.length, 300)
  })
})
