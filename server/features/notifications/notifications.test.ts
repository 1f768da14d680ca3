/**
 * Notifications: stored once, listed for the users who are recipients at that moment, marked as read for each user
 * (rules/comments.md#notifications).
 */
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, it } from 'vitest'
import { addPermissions, removePermissions } from '#contract/access/permissions.ts'
import { listCommentData } from '#contract/comments/comment-data.ts'
import {
  addNotification,
  deleteNotifications,
  getNotifications,
  updateNotifications,
} from '#contract/notifications/notifications.ts'
import { deleteDocuments, getDocuments, setDocumentAccess } from '#contract/resources/documents.ts'
import { getOrganizations } from '#contract/resources/organizations.ts'
import { disableUsers } from '#contract/users/disabled-users.ts'
import { setProfiles } from '#contract/users/profiles.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import { type Acme, newAcme, organizationId } from '#testing/acme.ts'
import { completeErasure, completeMigration } from '#testing/jobs.ts'
import { sharedServer } from '#testing/server.ts'
import { apiKeyOf } from '../../../test/conformance/support/callers.ts'
import { refused, refusedField } from '../../../test/conformance/support/refused.ts'

const server = await sharedServer()
let acme: Acme
beforeEach(async () => {
  acme = await newAcme(server)
  await acme.addDocuments('root', { documentId: 'd' }, { documentId: 'e' })
})

const ada = { userId: 'ada', name: 'Ada' }
const TEXTS = { displayHeadlineMessageTemplate: '{actionUser} said {what}', displayBodyMessage: 'body' }
const post = (notificationId: string | undefined, more: object = {}) =>
  acme.post(addNotification, { documentId: 'd', notificationId, actionUser: ada, ...TEXTS, ...more })
const added = async (notificationId: string | undefined, more: object = {}) => {
  const answer = await post(notificationId, more)
  assert.equal(answer.http, 200, answer.text)
  return answer.body.result.data
}
const to = (...userIds: string[]) => ({ notifyAll: false, notifyUsers: userIds.map((userId) => ({ userId })) })
const get = (data: object) => acme.call(getNotifications, data)
const ids = async (data: object): Promise<string[]> => (await get(data)).map(({ id }: { id: string }) => id)
const inbox = (userId: string, more: object = {}) => ids({ userId, ...more })
const update = (notifications: object[], more: object = {}) =>
  acme.call(updateNotifications, { notifications, ...more })
const remove = (data: object) => acme.call(deleteNotifications, data)
const resource = { type: 'organization', id: organizationId } as const
const join = (...userIds: string[]) => acme.grant('organization', organizationId, ...userIds)
const missing = {
  success: false,
  message: 'The notification does not exist, or does not match the filters.',
  code: 'not-found',
  retryable: false,
}

describe('notifications.add', () => {
  it('returns success and a message without the id, and stores every field', async () => {
    const given = {
      displayHeadlineMessageTemplateData: { actionUser: ada, what: 'hello' },
      displayBodyMessageTemplate: '{a}',
      displayBodyMessageTemplateData: { a: 'b' },
      notificationSourceData: { x: [1] },
    }
    const answer = await added('n', {
      ...given,
      notifyUsers: [{ userId: 'bob', email: 'bob@example.com' }],
      location: { id: 'top', locationName: 'Top' },
      metadata: { team: 'x' },
      context: { access: { team: 'x' } },
      isCrossOrganizationEnabled: true,
    })
    assert.deepEqual(answer, { success: true, message: 'Notification added successfully.' })
    const [{ timestamp, ...notification }] = await get({ documentId: 'd' })
    assert.ok(Number.isInteger(timestamp))
    assert.deepEqual(notification, {
      id: 'n',
      notificationSource: 'custom',
      actionUser: ada,
      ...TEXTS,
      ...given,
      metadata: {
        ...{ team: 'x', location: { id: 'top', locationName: 'Top' }, locationId: 3_242_343_369_048_615 },
        ...{ apiKey: apiKeyOf(acme.key), organizationId, documentId: 'd' },
      },
      context: { access: { team: 'x' }, accessFields: ['team:x'] },
      notifyUsers: { [hash('md5', 'bob@example.com')]: true },
      notifyUsersByUserId: { [hash('md5', 'bob')]: true },
    })
  })

  it('creates an id of 16 digits, and returns {} for no source data', async () => {
    await added(undefined, { notificationSource: 'crdt' })
    const [notification] = await get({ documentId: 'd' })
    assert.match(notification.id, /^\d{16}$/)
    assert.deepEqual([notification.notificationSource, notification.notificationSourceData], ['crdt', {}])
  })

  it('requires headline and body unless a resolver keeps them', async () => {
    const without = { displayHeadlineMessageTemplate: undefined, displayBodyMessage: undefined }
    const answer = await post('n', without)
    refusedField(answer, 'displayHeadlineMessageTemplate')
    refusedField(answer, 'displayBodyMessage')
    await added('n', { ...without, isNotificationResolverUsed: true })
    const [{ displayBodyMessage, isNotificationResolverUsed }] = await get({ documentId: 'd' })
    assert.deepEqual([displayBodyMessage, isNotificationResolverUsed], ['', true])
  })

  it('accepts ids of letters, digits, _ and -, and repeating an id changes nothing', async () => {
    for (const id of ['a:b', 'a b', 'ä', '']) refusedField(await post(id), 'notificationId')
    await added('A_b-1', to('ada'))
    const before = await get({ documentId: 'd' })
    await added('A_b-1', { ...to('bob'), displayBodyMessage: 'other', documentId: 'e' })
    assert.deepEqual(await get({ documentId: 'd' }), before)
    assert.deepEqual(await inbox('bob'), [])
  })

  it('notifies every member of the organization by a live grant, unless notifyAll is false', async () => {
    await join('ada', 'bob')
    await acme.grant('document', 'd', 'guest')
    const soon = Math.floor(Date.now() / 1_000) - 10
    await acme.key.call(addPermissions, {
      user: { userId: 'expired' },
      permissions: { resources: [{ ...resource, expiresAt: soon }] },
    })
    await added('all')
    await added('named', to('bob', 'guest'))
    assert.deepEqual(await inbox('ada'), ['all'])
    assert.deepEqual(await inbox('bob'), ['named', 'all'])
    for (const [userId, expected] of [
      ['guest', ['named']],
      ['expired', []],
      ['nobody', []],
    ] as const)
      assert.deepEqual(await inbox(userId), expected, userId)
  })

  it('speaks for the key: without verifyUserPermissions members are notified of a document that they cannot open', async () => {
    await acme.call(setDocumentAccess, { documentIds: ['d'], accessType: 'restricted' })
    await join('ada')
    await added('all')
    assert.deepEqual(await inbox('ada'), ['all'])
  })

  it('decides who is a member when the list is read', async () => {
    await added('all')
    assert.deepEqual(await inbox('ada'), [])
    await join('ada')
    assert.deepEqual(await inbox('ada'), ['all'])
    await acme.key.call(disableUsers, { userIds: ['ada'], disabled: true })
    assert.deepEqual(await inbox('ada'), [])
    await acme.key.call(disableUsers, { userIds: ['ada'], disabled: false })
    await acme.key.call(removePermissions, { userId: 'ada', permissions: { resources: [resource] } })
    assert.deepEqual(await inbox('ada'), [])
  })

  it('leaves out users without access with verifyUserPermissions, then and when the list is read', async () => {
    await acme.call(setDocumentAccess, { documentIds: ['d'], accessType: 'restricted' })
    await join('ada', 'bob', 'eve')
    await acme.grant('document', 'd', 'ada', 'eve')
    await added('n', { verifyUserPermissions: true, notifyUsers: [{ userId: 'ada' }, { userId: 'bob' }] })
    await added('unchecked', { notifyUsers: [{ userId: 'bob' }] })
    assert.deepEqual(await inbox('ada'), ['unchecked', 'n'])
    assert.deepEqual(await inbox('eve'), ['unchecked', 'n'])
    assert.deepEqual(await inbox('bob'), ['unchecked'])
    const [{ notifyUsersByUserId }] = await get({ documentId: 'd', notificationIds: ['n'] })
    assert.deepEqual(notifyUsersByUserId, { [hash('md5', 'ada')]: true })
    const document = { type: 'document', id: 'd', organizationId } as const
    await acme.key.call(removePermissions, { userId: 'ada', permissions: { resources: [document] } })
    assert.deepEqual(await inbox('ada'), ['unchecked'])
  })

  it('needs a document, which createDocument and createOrganization add', async () => {
    const reason = async (more: object) => refused(await post('n', more), 'NOT_FOUND').reason
    assert.equal(await reason({ documentId: 'new' }), 'document_does_not_exist')
    assert.equal(await reason({ organizationId: 'new', createDocument: true }), 'organization_does_not_exist')
    assert.equal(await reason({ organizationId: 'new', createOrganization: true }), 'organization_does_not_exist')
    assert.equal((await acme.key.call(getOrganizations, {})).length, 1)
    await added('n', { documentId: 'new', createDocument: true })
    await added('m', { organizationId: 'new', documentId: 'x', createOrganization: true, createDocument: true })
    const documents = await acme.key.call(getDocuments, { organizationId: 'new' })
    assert.deepEqual(
      documents.map(({ id }) => id),
      ['x'],
    )
    assert.deepEqual(await ids({ documentId: 'new' }), ['n'])
  })

  it('returns an access context with its accessFields', async () => {
    await added('n', { ...to('ada'), context: { access: { team: 'x', level: 2 }, own: true } })
    const [one] = await acme.call(getNotifications, { documentId: 'd' })
    assert.deepEqual(one?.context, {
      access: { team: 'x', level: 2 },
      own: true,
      accessFields: ['team:x', 'level:2'],
    })
  })

  it('refuses fields of an access context that would be read as visibility', async () => {
    refusedField(
      await post('n', { context: { access: { organizationPrivate: 'x' } } }),
      'context.access.organizationPrivate',
    )
    refusedField(
      await post('n', { context: { access: { __service_private_self: 'x' } } }),
      'context.access.__service_private_self',
    )
  })

  it('refuses fields of an access context that are no texts or numbers, as threads do', async () => {
    for (const value of [null, true, {}, ['x']])
      refusedField(await post('n', { context: { access: { team: value } } }), 'context.access.team')
    const change = { id: 'n', context: { access: { team: [] } } }
    refusedField(
      await acme.post(updateNotifications, { notifications: [change] }),
      'notifications[0].context.access.team',
    )
  })
})

describe('notifications.get', () => {
  beforeEach(async () => {
    await added('a', { ...to('ada'), location: { id: 'top' } })
    await sleep(5)
    await added('b', { ...to('ada', 'bob'), documentId: 'e' })
    await sleep(5)
    await added('c', {})
    await join('ada')
  })

  it('needs documentId or userId, and returns notifications that match all filters, the newest first', async () => {
    refusedField(await acme.post(getNotifications, {}), 'documentId')
    refusedField(await acme.post(getNotifications, { notificationIds: ['a'] }), 'documentId')
    const cases: [object, string[]][] = [
      [{ documentId: 'd' }, ['c', 'a']],
      [{ userId: 'ada' }, ['c', 'b', 'a']],
      [{ userId: 'ada', order: 'asc' }, ['a', 'b', 'c']],
      [{ userId: 'bob' }, ['b']],
      [{ userId: 'bob', documentId: 'd' }, []],
      [{ userId: 'ada', documentId: 'd', order: 'asc' }, ['a', 'c']],
      [{ userId: 'ada', locationId: 'top' }, ['a']],
      [{ documentId: 'd', locationId: 'other' }, []],
      [{ userId: 'bob', notificationIds: ['a', 'b', 'nope'] }, ['b']],
      [{ documentId: 'd', notificationIds: ['a', 'b'] }, ['a']],
    ]
    for (const [filters, expected] of cases) assert.deepEqual(await ids(filters), expected, JSON.stringify(filters))
    const many = Array.from({ length: 31 }, (_, index) => `n${index}`)
    refusedField(await acme.post(getNotifications, { userId: 'ada', notificationIds: many }), 'notificationIds')
  })

  it('fills in isUnread, forYou and the headline for the user in the call', async () => {
    const seen = await get({ userId: 'ada' })
    assert.deepEqual(
      seen.map((one: Record<string, unknown>) => [one.id, one.isUnread, one.forYou, one.displayHeadlineMessage]),
      [
        ['c', true, false, 'Ada said {what}'],
        ['b', true, true, 'Ada said {what}'],
        ['a', true, true, 'Ada said {what}'],
      ],
    )
    await acme.key.call(setProfiles, { users: [{ userId: 'ada', name: 'Ada Lovelace' }] })
    const data = {
      actionUser: ada,
      recipientUser: { userId: 'bob', email: 'bob@example.com' },
      what: 'hi',
      toString: 1,
    }
    await added('x', {
      ...to('bob'),
      displayHeadlineMessageTemplate: '{actionUser}: {what}, {recipientUser} {constructor} {{what}} {}',
      displayHeadlineMessageTemplateData: data,
    })
    const [notification] = await get({ userId: 'bob' })
    assert.equal(notification.displayHeadlineMessage, 'Ada Lovelace: hi, bob@example.com {constructor} {hi} {}')
    assert.deepEqual(notification.actionUser, { userId: 'ada', name: 'Ada Lovelace' })
    assert.deepEqual(notification.notifyUsersByUserId, { [hash('md5', 'bob')]: true })
    const [plain] = await get({ documentId: 'd' })
    await acme.key.call(setProfiles, { users: [{ userId: 'bob', name: 'Bob Noyce' }] })
    const [renamed] = await get({ userId: 'bob' })
    assert.equal(renamed.displayHeadlineMessage, 'Ada Lovelace: hi, Bob Noyce {constructor} {hi} {}')
    assert.equal(renamed.displayHeadlineMessageTemplateData.recipientUser.name, 'Bob Noyce')
    for (const field of ['isUnread', 'forYou', 'displayHeadlineMessage']) assert.ok(!(field in plain), field)
  })

  it('pages with result.pageToken, and has none on the last page', async () => {
    for (const filters of [{ userId: 'ada' }, { userId: 'ada', order: 'asc' }, { documentId: 'd' }]) {
      const seen: string[] = []
      for (let pageToken: string | undefined; ; ) {
        const { result } = (await acme.post(getNotifications, { ...filters, pageSize: 1, pageToken })).body
        seen.push(...result.data.map(({ id }: { id: string }) => id))
        assert.equal(result.nextPageToken, result.pageToken)
        pageToken = result.pageToken
        if (pageToken === undefined) break
        refusedField(await acme.post(getNotifications, { ...filters, userId: 'bob', pageToken }), 'pageToken')
      }
      assert.deepEqual(seen, await ids(filters))
    }
  })
})

describe('notifications.update', () => {
  beforeEach(async () => {
    await join('ada', 'bob')
    await added('n', { notifyUsers: [{ userId: 'ada' }, { userId: 'guest' }] })
  })
  const unread = async (userId: string) => (await get({ userId })).map((one: { isUnread: boolean }) => one.isUnread)

  it('removes read notifications only from the list of the user who read them', async () => {
    assert.deepEqual(await update([{ id: 'n', readByUserIds: ['ada', 'bob', 'stranger'] }]), {
      n: { success: true, id: 'n', message: 'Notification updated successfully.' },
    })
    assert.deepEqual([await inbox('ada'), await inbox('bob'), await inbox('guest')], [[], [], ['n']])
    assert.deepEqual(await ids({ documentId: 'd' }), ['n'])
    assert.deepEqual(await unread('guest'), [true])
  })

  it('keeps it listed as read with persistReadForUsers', async () => {
    await update([{ id: 'n', readByUserIds: ['ada', 'bob'], persistReadForUsers: true }])
    assert.deepEqual([await unread('ada'), await unread('bob'), await unread('guest')], [[false], [false], [true]])
    const forYou = async (userId: string) => (await get({ userId }))[0].forYou
    assert.deepEqual([await forYou('ada'), await forYou('bob')], [true, false])
  })

  it('replaces the given fields, and keeps the others', async () => {
    await update([
      {
        id: 'n',
        actionUser: { userId: 'eve' },
        displayHeadlineMessageTemplate: 'new',
        notificationSourceData: { y: 1 },
        location: { id: 'l' },
        metadata: { m: 1 },
      },
    ])
    const [one] = await get({ documentId: 'd', locationId: 'l' })
    assert.deepEqual(
      [
        one.actionUser,
        one.displayHeadlineMessageTemplate,
        one.displayBodyMessage,
        one.notificationSourceData,
        one.metadata.m,
      ],
      [{ userId: 'eve' }, 'new', 'body', { y: 1 }, 1],
    )
  })

  it('clears with null what a notification can be without, and refuses it elsewhere', async () => {
    const extras = {
      displayHeadlineMessageTemplateData: { what: 'hi' },
      displayBodyMessageTemplate: '{what}',
      displayBodyMessageTemplateData: { what: 'hi' },
      location: { id: 'l' },
      metadata: { m: 1 },
    }
    await update([{ id: 'n', ...extras, notificationSourceData: { y: 1 } }])
    const names = [...Object.keys(extras), 'notificationSourceData']
    await update([{ id: 'n', ...Object.fromEntries(names.map((name) => [name, null])) }])
    assert.deepEqual(await ids({ documentId: 'd', locationId: 'l' }), [])
    const one = (await get({ documentId: 'd' })).find(({ id }: { id: string }) => id === 'n')
    assert.deepEqual(one.metadata, { apiKey: apiKeyOf(acme.key), organizationId, documentId: 'd' })
    assert.deepEqual(one.notificationSourceData, {})
    for (const name of Object.keys(extras)) if (name !== 'metadata') assert.equal(one[name], undefined, name)
    const tooDeep = JSON.parse(`${'{"a":'.repeat(21)}1${'}'.repeat(21)}`)
    const tooMany = Object.fromEntries(Array.from({ length: 101 }, (_, nth) => [`k${nth}`, nth]))
    for (const metadata of [tooDeep, { text: 'x'.repeat(65_537) }, tooMany])
      refusedField(
        await acme.post(updateNotifications, { notifications: [{ id: 'n', metadata }] }),
        'notifications[0].metadata',
      )
    for (const name of ['displayBodyMessage', 'context', 'actionUser', 'notifyUsers', 'readByUserIds'])
      refusedField(
        await acme.post(updateNotifications, { notifications: [{ id: 'n', [name]: null }] }),
        `notifications[0].${name}`,
      )
  })

  it('keeps what members have read who are no longer named, and takes addresses as they are given now', async () => {
    await join('ada')
    await added('all', { notifyUsers: [{ userId: 'ada', email: 'ada@example.com' }] })
    await update([{ id: 'all', readByUserIds: ['ada'] }])
    await update([{ id: 'all', notifyUsers: [] }])
    assert.ok(!(await inbox('ada')).includes('all'), 'it has been read')
    await update([{ id: 'all', notifyUsers: [{ userId: 'ada' }], readByUserIds: ['ada'], persistReadForUsers: true }])
    const [listed] = (await get({ userId: 'ada' })).filter(({ id }: { id: string }) => id === 'all')
    assert.deepEqual([listed.isUnread, listed.forYou, listed.notifyUsers], [false, true, {}])
    await update([{ id: 'all', notifyUsers: [{ userId: 'ada', email: 'a@example.com' }] }])
    await update([{ id: 'all', notifyUsers: [{ userId: 'ada' }] }])
    const [without] = (await get({ documentId: 'd' })).filter(({ id }: { id: string }) => id === 'all')
    assert.deepEqual(without.notifyUsers, {})
    await update([{ id: 'all', notifyUsers: [{ userId: 'ada', email: 'ada@example.com' }] }])
    await update([{ id: 'all', notifyUsers: [], readByUserIds: ['ada'] }])
    const { notificationRecipients = [] } = await acme.call(listCommentData, {
      kind: 'notificationRecipients',
    })
    const [ada] = notificationRecipients.filter((one: { notificationId: string }) => one.notificationId === 'all')
    assert.deepEqual([ada?.isNamed ?? false, ada?.email], [false, undefined])
  })

  it('replaces the named users, whose state stays if they are named again', async () => {
    await update([{ id: 'n', readByUserIds: ['guest'], persistReadForUsers: true }])
    await update([{ id: 'n', notifyUsers: [{ userId: 'guest' }, { userId: 'eve' }], readByUserIds: ['ada'] }])
    assert.deepEqual([await unread('guest'), await unread('eve')], [[false], [true]])
    assert.deepEqual(await inbox('ada'), [])
    await update([{ id: 'n', notifyUsers: [] }])
    assert.deepEqual([await inbox('guest'), await inbox('eve'), await inbox('bob')], [[], [], ['n']])
  })

  it('changes only notifications that match the filters, and fails for unknown ids', async () => {
    const change = [
      { id: 'n', displayBodyMessage: 'x' },
      { id: 'nope', displayBodyMessage: 'x' },
    ]
    for (const filter of [{ documentId: 'e' }, { locationId: 'l' }]) {
      const answer = await update(change, filter)
      assert.deepEqual(answer, { n: { id: 'n', ...missing }, nope: { id: 'nope', ...missing } })
    }
    await added('m', to('ada'))
    const forBob = await update([{ id: 'm' }, { id: 'n' }], { userId: 'bob' })
    assert.deepEqual([forBob.m.success, forBob.n.success], [false, true])
    const matching = await update(change, { documentId: 'd', userId: 'ada' })
    assert.deepEqual([matching.n.success, matching.nope], [true, { id: 'nope', ...missing }])
  })

  it('is for members and named users alone, as the list is: not for strangers and disabled members', async () => {
    const change = [{ id: 'n', displayBodyMessage: 'x' }]
    const isFor = async (userId: string) => (await update(change, { userId })).n.success
    await acme.key.call(disableUsers, { userIds: ['bob'], disabled: true })
    await update([{ id: 'n', readByUserIds: ['stranger', 'bob', 'guest'], persistReadForUsers: true }])
    for (const userId of ['ada', 'guest', 'bob', 'stranger'])
      assert.equal(await isFor(userId), (await inbox(userId)).includes('n'), userId)
    assert.deepEqual(await Promise.all(['ada', 'guest', 'bob', 'stranger'].map(isFor)), [true, true, false, false])
    await acme.key.call(disableUsers, { userIds: ['bob'], disabled: false })
    await join('stranger')
    assert.deepEqual([await unread('bob'), await unread('stranger'), await unread('guest')], [[true], [true], [false]])
    assert.equal(await isFor('stranger'), true)
  })

  it('leaves out users without access with verifyUserPermissions', async () => {
    await acme.call(setDocumentAccess, { documentIds: ['d'], accessType: 'restricted' })
    await acme.grant('document', 'd', 'ada')
    await update([{ id: 'n', readByUserIds: ['ada', 'bob'] }], { verifyUserPermissions: true })
    assert.deepEqual([await inbox('ada'), await inbox('bob')], [[], ['n']])
  })
})

describe('notifications.delete', () => {
  it('deletes notifications that match all filters, and needs at least one filter', async () => {
    refusedField(await acme.post(deleteNotifications, {}), 'documentId')
    for (const [id, more] of Object.entries({
      a: to('ada'),
      b: { ...to('ada', 'bob'), documentId: 'e' },
      c: { location: { id: 'l' } },
      x: {},
      y: to('bob'),
    }))
      await added(id, more)
    assert.deepEqual(await remove({ notificationIds: ['x', 'b', 'nope'], documentId: 'd' }), {
      x: { success: true, id: 'x', message: 'Notification deleted successfully.' },
      b: { id: 'b', ...missing },
      nope: { id: 'nope', ...missing },
    })
    assert.deepEqual(Object.keys(await remove({ locationId: 'l' })), ['c'])
    assert.deepEqual(Object.keys(await remove({ userId: 'ada' })), ['a', 'b'])
    assert.deepEqual(Object.keys(await remove({ documentId: 'd' })), ['y'])
    assert.deepEqual(await ids({ documentId: 'd' }), [])
  })
})

describe('notifications of a document', () => {
  it('follow it to another id, and are deleted with it', async () => {
    await acme.grant('document', 'new', 'ada')
    await added('a', to('ada'))
    await added('b', { ...to('ada'), documentId: 'new' })
    await completeMigration(acme.key, { organizationId, documentId: 'd', newDocumentId: 'new' })
    assert.deepEqual((await ids({ documentId: 'new' })).sort(), ['a', 'b'])
    await acme.call(deleteDocuments, { documentIds: ['new'] })
    assert.deepEqual(await inbox('ada'), [])
  })

  it('forget erased users: as actors and as recipients', async () => {
    await added('a', to('ada', 'bob'))
    await added('b', { ...to('ada', 'eve'), actionUser: { userId: 'eve' } })
    await completeErasure(acme.key, { userIds: ['ada'] })
    assert.deepEqual([await inbox('ada'), await inbox('bob'), await inbox('eve')], [[], [], ['b']])
    const [{ notifyUsersByUserId }] = await get({ documentId: 'd' })
    assert.deepEqual(notifyUsersByUserId, { [hash('md5', 'eve')]: true })
  })
})

it('a notification to 10,000 members is stored once, and each finds it in the inbox', async () => {
  const key = organizationKey({ apiKeyId: apiKeyOf(acme.key) as never }, organizationId)
  await server.db.query(
    `insert into grants (organization_key, resource_key, principal, kind, standing_role)
     select $1::uuid, $1::uuid, 'u' || n, 'organization', 'viewer' from generate_series(1, 10000) n`,
    [key],
  )
  await added('all')
  const { rows } = await server.db.query('select from notification_recipients where organization_key = $1::uuid', [key])
  assert.equal(rows.length, 0)
  for (const userId of ['u1', 'u5000', 'u10000']) assert.deepEqual(await inbox(userId), ['all'])
})
