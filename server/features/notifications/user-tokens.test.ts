/**
 * The inbox, its preferences and activities with a user token: only the user's own, and only for documents that the
 * user can open (rules/comments.md#user-tokens).
 */
import assert from 'node:assert/strict'
import { beforeAll, describe, it } from 'vitest'
import { addPermissions, removePermissions } from '#contract/access/permissions.ts'
import { addActivities, getActivities } from '#contract/activities/activities.ts'
import { addComments } from '#contract/comments/comments.ts'
import { deleteThreads } from '#contract/comments/threads.ts'
import { LIMITS } from '#contract/core/limits.ts'
import { updateActivityConfig } from '#contract/keys/activity-config.ts'
import { updateNotificationConfig } from '#contract/keys/notification-config.ts'
import { addNotification, getNotifications, updateNotifications } from '#contract/notifications/notifications.ts'
import { getNotificationPreferences, setNotificationPreferences } from '#contract/notifications/preferences.ts'
import { addDocuments, setDocumentAccess } from '#contract/resources/documents.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { setProfiles } from '#contract/users/profiles.ts'
import { type Client, pagesOf } from '#testing/client.ts'
import { sharedServer } from '#testing/server.ts'
import { addThread, asUser, comment, newKeyWithDocuments, ON_ROADMAP, organizationId } from '#testing/threads.ts'
import { apiKeyOf } from '../../../test/conformance/support/callers.ts'
import { refused, refusedField, withoutRequestId } from '../../../test/conformance/support/refused.ts'

const server = await sharedServer()
let key: Client
let ada: Client
let bob: Client
let eve: Client
const roadmap = { type: 'document' as const, id: 'roadmap', organizationId }

beforeAll(async () => {
  key = await newKeyWithDocuments(server)
  await key.call(updateNotificationConfig, { useNotificationService: true })
  await key.call(updateActivityConfig, { activityServiceConfig: { isEnabled: true } })
  await key.call(setDocumentAccess, { organizationId, documentIds: ['roadmap', 'plan'], accessType: 'restricted' })
  for (const userId of ['ada', 'bob']) {
    const resources = [roadmap, { type: 'organization' as const, id: organizationId }]
    await key.call(addPermissions, { user: { userId }, permissions: { resources } })
  }
  await key.call(addPermissions, {
    user: { userId: 'eve' },
    permissions: { resources: [{ type: 'organization', id: organizationId }] },
  })
  ;[ada = key, bob = key, eve = key] = await Promise.all(['ada', 'bob', 'eve'].map((userId) => asUser(key, userId)))
  await addThread(key, { annotationId: 'open', commentData: [comment('bob')] })
  await addThread(key, {
    annotationId: 'private',
    commentData: [comment('bob', { triggerActivities: true })],
    visibility: { type: 'restricted', userIds: ['zoe'] },
  })
})

const NOTIFYING = { commentData: [comment('bob', { triggerNotification: true })] }
const inbox = (client: Client, more: object = {}) => client.call(getNotifications, { organizationId, ...more })

describe('the inbox of a user token', () => {
  it('has the comments of users without further ado, and activities record them', async () => {
    await bob.call(addComments, { ...ON_ROADMAP, annotationId: 'open', commentData: [{ commentText: 'hello' }] })
    const [one, ...others] = await inbox(ada)
    assert.deepEqual([one?.displayBodyMessage, one?.isUnread, others.length], ['hello', true, 0])
    const [activity] = await ada.call(getActivities, ON_ROADMAP)
    assert.deepEqual([activity?.actionType, activity?.actionUser.userId], ['comment.add', 'bob'])
  })

  it('has nothing about documents that are not open, in pages of the same length', async () => {
    assert.deepEqual(await inbox(eve), [])
    const answer = await eve.post(getNotifications.path, { organizationId, pageSize: 1 })
    assert.equal(answer.body.result.nextPageToken, undefined)
    for (const documentId of ['roadmap', 'unknown']) {
      const { reason } = refused(await eve.post(getNotifications.path, { organizationId, documentId }), 'NOT_FOUND')
      assert.equal(reason, 'document_does_not_exist')
    }
    assert.deepEqual(await inbox(eve, { organizationId: 'unknown' }), [])
  })

  it('has no notification with an access context, which a user token does not have, until it is removed', async () => {
    const told = { actionUser: { userId: 'bob' }, displayHeadlineMessageTemplate: 'x', displayBodyMessage: 'x' }
    const notificationId = 'of-team'
    const context = { access: { team: 'x' } }
    await key.call(addNotification, {
      ...ON_ROADMAP,
      ...told,
      notificationId,
      context,
      notifyUsers: [{ userId: 'ada' }],
    })
    const listed = async (client: Client, more = {}) =>
      (await inbox(client, { notificationIds: [notificationId], ...more })).map(
        ({ context: shown }) => shown?.accessFields,
      )
    const mark = () =>
      ada.call(updateNotifications, { organizationId, notifications: [{ id: notificationId, readByUserIds: ['ada'] }] })
    assert.deepEqual(await listed(ada), [])
    assert.equal((await mark())[notificationId]?.success, false)
    assert.deepEqual(await listed(key, { userId: 'ada' }), [['team:x']], 'the key compares the context')
    const notifications = [{ id: notificationId, context: { access: {} } }]
    await key.call(updateNotifications, { organizationId, notifications })
    assert.deepEqual(await listed(ada), [undefined])
    assert.equal((await mark())[notificationId]?.success, true)
  })

  it('fills headlines with the own newest name, and with that of nobody else whom the data names', async () => {
    const fay = await asUser(key, 'fay')
    await key.call(addPermissions, { user: { userId: 'fay' }, permissions: { resources: [roadmap] } })
    await key.call(setProfiles, {
      users: [
        { userId: 'fay', name: 'Fay Wray' },
        { userId: 'stranger', name: 'A secret name' },
      ],
    })
    await key.call(addNotification, {
      ...ON_ROADMAP,
      actionUser: { userId: 'bob' },
      displayHeadlineMessageTemplate: '{recipientUser} and {other}',
      displayHeadlineMessageTemplateData: { recipientUser: { userId: 'fay' }, other: { userId: 'stranger' } },
      displayBodyMessage: 'hello',
      notifyUsers: [{ userId: 'fay' }],
      notifyAll: false,
    })
    const own = await inbox(fay)
    assert.equal(own[0]?.displayHeadlineMessage, 'Fay Wray and stranger')
    assert.doesNotMatch(JSON.stringify(own), /secret/)
    assert.equal((await inbox(key, { userId: 'fay' }))[0]?.displayHeadlineMessage, 'Fay Wray and A secret name')
  })

  it('has pages that do not reveal how many hidden items are between them', async () => {
    const organization = { organizationId: 'paged' }
    await key.call(addOrganizations, { organizations: [organization] })
    const documents = ['open', 'closed'].map((documentId) => ({ documentId }))
    await key.call(addDocuments, { ...organization, documents })
    await key.call(setDocumentAccess, { ...organization, documentIds: ['closed'], accessType: 'restricted' })
    const resources = [{ type: 'organization' as const, id: 'paged' }]
    await key.call(addPermissions, { user: { userId: 'eve' }, permissions: { resources } })
    const notify = async (documentId: string, count: number) => {
      for (let nth = 0; nth < count; nth++) await addThread(key, NOTIFYING, { ...organization, documentId })
    }
    for (const [documentId, count] of [
      ['closed', 12],
      ['open', 2],
      ['closed', 12],
      ['open', 1],
      ['closed', 12],
    ] as const)
      await notify(documentId, count)
    const pages: number[] = []
    for await (const { data } of pagesOf((pageToken) =>
      eve.post(getNotifications.path, { ...organization, pageSize: 1, pageToken }),
    ))
      pages.push(data.length)
    assert.deepEqual(pages, [1, 1, 1])
  })

  it('has full pages, however many hidden items are between them', async () => {
    const organization = { organizationId: 'hiding' }
    const documents = [{ documentId: 'shown' }, { documentId: 'closed', accessType: 'restricted' as const }]
    await key.call(addDocuments, { ...organization, createOrganization: true, documents })
    const resources = [{ type: 'organization' as const, id: 'hiding' }]
    await key.call(addPermissions, { user: { userId: 'eve' }, permissions: { resources } })
    const texts = { displayHeadlineMessageTemplate: 'x', displayBodyMessage: 'x', actionUser: { userId: 'ada' } }
    for (const notificationId of ['first', 'second'])
      await key.call(addNotification, { ...organization, documentId: 'shown', notificationId, ...texts })
    // Simulates 20,000 later comments on a closed document.
    await server.db.query(
      `insert into notifications (organization_key, notification_id, resource_key, notified_at, notification_source, actor_id, notifies_all, requires_access, content)
       select r.organization_key, 'hidden-' || n, r.resource_key, now() + n * interval '1 ms', 'comment', 'zoe', true, true,
              '{"actionUser": {"userId": "zoe"}, "displayHeadlineMessageTemplate": "x"}'
         from organizations o join resources r on r.organization_key = o.organization_key and r.kind = 'document' and r.id = 'closed', generate_series(1, 20000) n
        where o.api_key_id = $1 and o.organization_id = 'hiding'`,
      [apiKeyOf(key)],
    )
    const { body } = await eve.post(getNotifications.path, { ...organization, pageSize: 2 })
    assert.deepEqual(
      [body.result.data.map(({ id }: { id: string }) => id), body.result.nextPageToken],
      [['second', 'first'], undefined],
    )
    const ofKey = await key.post(getNotifications.path, { ...organization, userId: 'eve', pageSize: 1 })
    assert.deepEqual(
      ofKey.body.result.data.map(({ id }: { id: string }) => id),
      ['second'],
    )
  })

  it('belongs only to the user of the token', async () => {
    for (const [operation, data] of [
      [getNotifications, { userId: 'bob' }],
      [updateNotifications, { notifications: [{ id: '1', readByUserIds: ['bob'] }] }],
      [updateNotifications, { userId: 'bob', notifications: [{ id: '1' }] }],
      [getNotificationPreferences, { userId: 'bob' }],
      [setNotificationPreferences, { userIds: ['ada', 'bob'], config: { inbox: 'NONE' } }],
    ] as const)
      assert.equal(
        refused(await ada.post(operation.path, { organizationId, ...data }), 'PERMISSION_DENIED').reason,
        'other_user',
      )
  })

  it('can be marked as read, and not changed otherwise', async () => {
    const [one] = await inbox(ada)
    const id = one?.id ?? ''
    const change = { notifications: [{ id, displayBodyMessage: 'x' }] }
    refusedField(
      await ada.post(updateNotifications.path, { organizationId, ...change }),
      'notifications[0].displayBodyMessage',
    )
    const mark = (client: Client, of: string) =>
      client.call(updateNotifications, { organizationId, notifications: [{ id: of, persistReadForUsers: true }] })
    assert.equal((await mark(ada, id))[id]?.success, true)
    assert.equal((await inbox(ada))[0]?.isUnread, false)
    await key.call(addNotification, {
      ...{ ...ON_ROADMAP, notificationId: 'secret', notifyAll: false, notifyUsers: [{ userId: 'bob' }] },
      ...{ actionUser: { userId: 'bob' }, displayHeadlineMessageTemplate: 'x', displayBodyMessage: 'x' },
    })
    for (const other of [id, 'secret', 'absent']) assert.equal((await mark(eve, other))[other]?.code, 'not-found')
  })

  it('follows the own preferences, which can be set for open documents', async () => {
    const set = (client: Client, documentId: string) =>
      client.post(setNotificationPreferences.path, {
        organizationId,
        documentIds: [documentId],
        config: { inbox: 'NONE' },
      })
    assert.equal((await set(ada, 'roadmap')).http, 200)
    assert.deepEqual(await inbox(ada), [])
    const [hidden, absent] = [await set(eve, 'roadmap'), await set(eve, 'unknown')].map(withoutRequestId)
    assert.equal(hidden, absent)
    const documents = async () =>
      (await ada.call(getNotificationPreferences, { organizationId })).flatMap(
        ({ metadata }) => metadata.documentId ?? [],
      )
    assert.deepEqual(await documents(), ['roadmap'])
    await key.call(removePermissions, { userId: 'ada', permissions: { resources: [roadmap] } })
    assert.deepEqual(await documents(), [])
    await key.call(addPermissions, { user: { userId: 'ada' }, permissions: { resources: [roadmap] } })
  })
})

describe('activities of a user token', () => {
  it('are those of an open document, without those about hidden threads', async () => {
    await key.call(addActivities, {
      ...ON_ROADMAP,
      activities: ['private', 'budget'].map((targetEntityId) => ({
        ...{ id: targetEntityId, featureType: 'custom' as const, actionType: 'done', targetEntityId },
        actionUser: { userId: 'bob' },
      })),
    })
    const targets = async (client: Client) =>
      [
        ...new Set((await client.call(getActivities, ON_ROADMAP)).map(({ targetEntityId }) => targetEntityId)),
      ].toSorted()
    assert.deepEqual(await targets(key), ['budget', 'open', 'private'])
    assert.deepEqual(await targets(ada), ['budget', 'open'])
    assert.deepEqual(await targets(bob), ['budget', 'open', 'private'])
  })

  it('are not those of a deleted private thread, even if a new thread has its id', async () => {
    const again = (userId: string, more: object) =>
      addThread(key, { annotationId: 'again', commentData: [comment(userId, { triggerActivities: true })], ...more })
    const actors = async (client: Client) =>
      (await client.call(getActivities, { ...ON_ROADMAP, targetEntityId: 'again' })).map(
        ({ actionUser }) => actionUser.userId,
      )
    await again('zoe', { visibility: { type: 'restricted', userIds: ['zoe'] } })
    await key.call(deleteThreads, { ...ON_ROADMAP, annotationIds: ['again'] })
    await again('bob', { createdAt: Date.now() + 60 * 60 * 1_000 })
    assert.deepEqual([await actors(key), await actors(ada)], [['bob', 'zoe'], ['bob']])
  })

  it('need the document, which is absent for a user who cannot open it', async () => {
    refusedField(await ada.post(getActivities.path, { organizationId }), 'documentId')
    for (const documentId of ['roadmap', 'unknown'])
      assert.equal(
        refused(await eve.post(getActivities.path, { organizationId, documentId }), 'NOT_FOUND').reason,
        'document_does_not_exist',
      )
  })

  it('have pages that do not reveal how much is hidden between them', async () => {
    const shown = await ada.call(getActivities, ON_ROADMAP)
    await server.db.query(
      `insert into activities (organization_key, activity_id, resource_key, feature_type, action_type, actor_id, target_entity_id, is_immutable, content)
       select t.organization_key, 'hidden ' || n, t.resource_key, 'comment', 'comment.add', 'bob', 'private', false, '{}'
         from organizations o join threads t using (organization_key) cross join generate_series(1, $2::int) n
        where o.api_key_id = $1 and t.annotation_id = 'private'`,
      [apiKeyOf(key), LIMITS.recordsExaminedPerPageMax],
    )
    const { data, nextPageToken } = (await ada.post(getActivities.path, ON_ROADMAP)).body.result
    assert.deepEqual([data, nextPageToken], [shown, undefined])
  })
})
