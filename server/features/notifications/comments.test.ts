/**
 * Notifications of comments: recipients are decided when the inbox is read
 * (rules/comments.md#notifications-of-comments).
 */
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { beforeEach, describe, it } from 'vitest'
import { addPermissions, removePermissions } from '#contract/access/permissions.ts'
import { setCommentData } from '#contract/comments/comment-data.ts'
import { addComments, deleteComments, updateComments } from '#contract/comments/comments.ts'
import { readThreads } from '#contract/comments/seen.ts'
import { addThreads, deleteThreads, updateThreads } from '#contract/comments/threads.ts'
import { updateNotificationConfig } from '#contract/keys/notification-config.ts'
import { getNotifications, updateNotifications } from '#contract/notifications/notifications.ts'
import { setNotificationPreferences } from '#contract/notifications/preferences.ts'
import { deleteDocuments } from '#contract/resources/documents.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { disableUsers } from '#contract/users/disabled-users.ts'
import { type Acme, newAcme, organizationId } from '#testing/acme.ts'
import { sharedServer } from '#testing/server.ts'

const server = await sharedServer()
let acme: Acme
beforeEach(async () => {
  acme = await newAcme(server)
  await acme.addDocuments('root', { documentId: 'd', accessType: 'restricted' }, { documentId: 'e' })
  await acme.grant('organization', organizationId, 'ada', 'bob', 'eve', 'out')
  await acme.grant('document', 'd', 'ada', 'bob', 'eve')
  await acme.key.call(updateNotificationConfig, { useNotificationService: true })
})

const mention = (userId: string) => ({ userId, contact: { userId, name: userId.toUpperCase() } })

/** Ada starts a thread, which mentions Bob; returns its id. */
async function thread(more: object = {}, comment: object = {}): Promise<string> {
  const root = {
    from: { userId: 'ada', name: 'Ada' },
    commentText: 'Look, {{bob}} and {{nobody}}',
    taggedUserContacts: [mention('bob')],
    triggerNotification: true,
    ...comment,
  }
  const added = await acme.call(addThreads, { documentId: 'd', commentAnnotations: [{ commentData: [root], ...more }] })
  return Object.keys(added)[0] ?? ''
}

const inbox = (userId: string, more: object = {}) => acme.call(getNotifications, { userId, ...more })
/** Returns the users with something in their inbox, in order. */
async function notified(...userIds: string[]): Promise<string[]> {
  const asked = userIds.length === 0 ? ['ada', 'bob', 'eve', 'out', 'guest'] : userIds
  const lists = await Promise.all(asked.map((userId) => inbox(userId)))
  return asked.filter((_, index) => lists[index].length > 0)
}

describe('a comment with triggerNotification', () => {
  it('notifies those who can open the document, and not its author', async () => {
    const id = await thread()
    assert.deepEqual(await notified(), ['bob', 'eve'])
    const [one] = await inbox('bob')
    assert.deepEqual(
      { ...one, id: '', timestamp: 0, notificationSourceData: {}, metadata: {}, notifyUsersByUserId: {} },
      {
        id: '',
        timestamp: 0,
        notificationSource: 'comment',
        actionType: 'newlyAdded',
        actionUser: { userId: 'ada', name: 'Ada' },
        displayHeadlineMessageTemplate: '{actionUser} started a thread',
        displayHeadlineMessage: 'Ada started a thread',
        displayBodyMessage: 'Look, @BOB and {{nobody}}',
        notificationSourceData: {},
        targetAnnotationId: id,
        metadata: {},
        notifyUsers: {},
        notifyUsersByUserId: {},
        isUnread: true,
        forYou: true,
      },
    )
    assert.equal(one.notificationSourceData.annotationId, id)
    assert.deepEqual(one.notificationSourceData.comments.length, 1)
    const [other] = await inbox('eve')
    assert.equal(other.forYou, false)
    const [ofAll] = await acme.call(getNotifications, { documentId: 'd' })
    assert.deepEqual(ofAll.notifyUsersByUserId, { [hash('md5', 'bob')]: true })
  })

  it('notifies only if the call asks for it', async () => {
    await thread({}, { triggerNotification: false })
    assert.deepEqual(await notified(), [])
  })

  it('notifies nobody while the service or the trigger is off', async () => {
    const set = (config: object) => acme.key.call(updateNotificationConfig, config)
    await set({ useNotificationService: false })
    await thread()
    for (const name of ['newlyAdded', 'comment_annotation.add']) {
      const triggers = { comment: { [name]: false } }
      await set({ useNotificationService: true, notificationServiceConfig: { triggers } })
      await thread()
    }
    assert.deepEqual(await notified(), [])
    await set({ notificationServiceConfig: { triggers: { comment: { newlyAdded: true } } } })
    await thread()
    assert.deepEqual(await notified(), ['bob', 'eve'])
  })

  it('notifies the user who replaces another one, with the state of the other, and nobody of an own comment', async () => {
    const replace = (...pairs: [string, string][]) =>
      acme.call(updateThreads, {
        documentId: 'd',
        updateUsers: pairs.map(([userId, other]) => ({ oldUser: { userId }, newUser: { userId: other, name: other } })),
      })
    const level = (inbox: string) =>
      acme.call(setNotificationPreferences, { userIds: ['ada', 'bob', 'eve'], config: { inbox } })
    await level('MINE')
    await thread()
    assert.deepEqual(await notified(), ['bob'])
    await replace(['bob', 'eve'])
    assert.deepEqual(await notified(), ['eve'])
    const [{ id }] = await inbox('eve')
    await acme.call(updateNotifications, { notifications: [{ id, readByUserIds: ['eve'], persistReadForUsers: true }] })
    await replace(['eve', 'ada'], ['ada', 'bob'])
    const [one] = await inbox('ada')
    assert.deepEqual([await notified(), one.isUnread, one.actionUser], [['ada'], false, { userId: 'bob', name: 'bob' }])
    await replace(['ada', 'bob'])
    assert.deepEqual(await notified(), [])
    const [ofAll] = await acme.call(getNotifications, { documentId: 'd' })
    assert.deepEqual(ofAll.notifyUsersByUserId, {})
  })

  it('notifies nobody who has lost access since, and again once it is back', async () => {
    await thread()
    const resources = [{ type: 'document', id: 'd', organizationId }] as const
    await acme.key.call(removePermissions, { userId: 'bob', permissions: { resources: [...resources] } })
    assert.deepEqual(await notified(), ['eve'])
    await acme.grant('document', 'd', 'bob')
    await acme.key.call(disableUsers, { userIds: ['bob'], disabled: true })
    assert.deepEqual(await notified(), ['eve'])
    await acme.key.call(disableUsers, { userIds: ['bob'], disabled: false })
    assert.deepEqual(await notified(), ['bob', 'eve'])
  })

  it('notifies by the levels of the inbox, the level of the document before that of the organization', async () => {
    await thread()
    const level = (inbox: string, userIds: string[], more: object = {}) =>
      acme.call(setNotificationPreferences, { userIds, config: { inbox }, ...more })
    await level('MINE', ['bob', 'eve'])
    assert.deepEqual(await notified(), ['bob'])
    await level('NONE', ['bob'])
    assert.deepEqual(await notified(), [])
    await level('ALL', ['bob', 'eve'], { documentIds: ['d'] })
    assert.deepEqual(await notified(), ['bob', 'eve'])
  })

  it('is deleted with its document', async () => {
    await thread()
    await acme.call(deleteDocuments, { documentIds: ['d'] })
    assert.deepEqual(await notified(), [])
  })

  it('counts as read once the user has seen the comment', async () => {
    const id = await thread()
    await acme.call(readThreads, { documentId: 'd', userId: 'bob', annotationIds: [id] })
    assert.equal((await inbox('bob'))[0].isUnread, false)
    assert.equal((await inbox('eve'))[0].isUnread, true)
  })

  it('is marked as read like any other', async () => {
    await thread()
    const [{ id }] = await inbox('bob')
    await acme.call(updateNotifications, {
      notifications: [{ id, readByUserIds: ['bob'], persistReadForUsers: true }],
    })
    assert.equal((await inbox('bob'))[0].isUnread, false)
    assert.equal((await inbox('eve'))[0].isUnread, true)
  })
})

describe('a reply with triggerNotification', () => {
  const reply = (annotationId: string, userId: string) =>
    acme.call(addComments, {
      documentId: 'd',
      annotationId,
      commentData: [{ from: { userId }, commentText: 'Yes', triggerNotification: true }],
    })
  const newest = async (userId: string) => {
    const [first] = await inbox(userId)
    const { actionType, forYou, displayBodyMessage } = first ?? {}
    return [actionType, forYou, displayBodyMessage]
  }

  it('names the participants, and not its author', async () => {
    const id = await thread({}, { triggerNotification: false })
    await reply(id, 'bob')
    assert.deepEqual(await newest('ada'), ['added', true, 'Yes'])
    assert.deepEqual(await newest('eve'), ['added', false, 'Yes'])
    assert.deepEqual(await inbox('bob'), [])
  })

  it('has the text at the time when the inbox is read, and is deleted with the comment', async () => {
    const id = await thread({}, { triggerNotification: false })
    const [commentId] = await reply(id, 'bob')
    const where = { documentId: 'd', annotationId: id, commentIds: [commentId] }
    await acme.call(updateComments, { ...where, updatedData: { commentText: 'No' } })
    assert.deepEqual(await newest('ada'), ['added', true, 'No'])
    await acme.call(deleteComments, where)
    assert.deepEqual(await notified(), [])
  })

  it('is deleted with its thread, and a private one reveals nothing to others', async () => {
    const id = await thread({ visibility: { type: 'restricted', userIds: ['bob'] } })
    await reply(id, 'bob')
    assert.deepEqual(await notified(), ['ada', 'bob'])
    await acme.call(deleteThreads, { documentId: 'd', annotationIds: [id] })
    assert.deepEqual(await notified(), [])
  })
})

describe('a change with triggerNotification', () => {
  const change = (annotationId: string, updatedData: object, more: object = { triggerNotification: true }) =>
    acme.call(updateComments, { documentId: 'd', annotationId, updatedData, ...more })
  const acts = async (userId: string) =>
    (await inbox(userId)).map((one: { actionType: string; isUnread: boolean }) => [one.actionType, one.isUnread])

  it('notifies the participants as updated, even if they have seen the comment, and not its author', async () => {
    const id = await thread({}, { triggerNotification: false })
    await acme.call(readThreads, { documentId: 'd', userId: 'bob', annotationIds: [id] })
    await change(id, { commentText: 'No' })
    assert.deepEqual(
      [await acts('ada'), await acts('bob'), await acts('eve')],
      [[], [['updated', true]], [['updated', true]]],
    )
    const [{ displayHeadlineMessage, displayBodyMessage, forYou }] = await inbox('bob')
    assert.deepEqual([displayHeadlineMessage, displayBodyMessage, forYou], ['Ada changed a comment', 'No', true])
  })

  it('notifies once more when a repeated call asks for it, although nothing else changes', async () => {
    const id = await thread({}, { triggerNotification: false })
    const completed = { progress: { state: 'completed' } }
    await change(id, completed, {})
    assert.deepEqual(await acts('bob'), [])
    for (const times of [1, 2]) {
      await change(id, completed)
      assert.deepEqual(await acts('bob'), Array(times).fill(['updated', true]))
    }
  })

  it('notifies of no change without a request, or while it is off', async () => {
    const id = await thread({}, { triggerNotification: false })
    await change(id, { commentText: 'No' }, {})
    const triggers = { comment: { 'comment.update': false } }
    await acme.key.call(updateNotificationConfig, { notificationServiceConfig: { triggers } })
    await change(id, { commentText: 'Perhaps' })
    assert.deepEqual(await notified(), [])
  })
})

describe('a thread that not everybody sees', () => {
  it('restricted: notifies only the named users, whoever can open the document', async () => {
    await thread({ visibility: { type: 'restricted', userIds: ['eve', 'out'] } })
    assert.deepEqual(await notified(), ['eve'])
  })

  it('organizationPrivate: notifies members of that organization by a live grant, and no guests', async () => {
    await acme.key.call(addOrganizations, { organizations: [{ organizationId: 'partner' }] })
    await thread({ visibility: { type: 'organizationPrivate', organizationId: 'partner' } })
    assert.deepEqual(await notified(), [])
    await acme.grant('organization', 'partner', 'eve', 'out')
    const expired = { type: 'organization', id: 'partner', expiresAt: 1 } as const
    await acme.key.call(addPermissions, { user: { userId: 'bob' }, permissions: { resources: [expired] } })
    assert.deepEqual(await notified(), ['eve'])
  })

  it('hides imported notifications that name the thread and no comment, also from a later thread of its id', async () => {
    const annotationId = await thread(
      { visibility: { type: 'restricted', userIds: ['eve'] } },
      { triggerNotification: false },
    )
    const told = { documentId: 'd', actionUser: { userId: 'ada' }, notificationSource: 'custom', requiresAccess: true }
    const notifications = [
      { ...told, notificationId: 'thread', timestamp: Date.now(), targetAnnotationId: annotationId },
      { ...told, notificationId: 'none', timestamp: Date.now() },
    ]
    const texts = { displayHeadlineMessageTemplate: 'x', displayBodyMessage: 'x', notifyAll: true }
    const imported = notifications.map((one) => ({ ...texts, ...one }))
    assert.deepEqual(await acme.call(setCommentData, { notifications: imported }), [])
    const ids = async (userId: string) => (await inbox(userId)).map(({ id }: { id: string }) => id).sort()
    assert.deepEqual([await ids('bob'), await ids('eve')], [['none'], ['none', 'thread']])
    const stored = async () =>
      (await acme.call(getNotifications, { documentId: 'd' })).map(({ id }: { id: string }) => id).sort()
    assert.deepEqual(await stored(), ['none', 'thread'])
    await acme.call(deleteThreads, { documentId: 'd', annotationIds: [annotationId] })
    assert.deepEqual([await ids('eve'), await stored()], [['none'], ['none']])
    assert.deepEqual(await acme.call(setCommentData, { notifications: imported }), [])
    assert.deepEqual([await ids('eve'), await stored()], [['none'], ['none', 'thread']])
    await thread({ annotationId }, { triggerNotification: false })
    assert.deepEqual(await ids('eve'), ['none'])
  })

  it('with an access context: notifies nobody, because a call has no context to compare', async () => {
    await thread({ context: { access: { team: 'x' } } })
    assert.deepEqual(await notified(), [])
  })
})
