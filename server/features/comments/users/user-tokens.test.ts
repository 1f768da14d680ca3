/** Calls on threads and comments with user tokens: who may do what (rules/comments.md#user-tokens). */
import assert from 'node:assert/strict'
import { beforeAll, describe, it } from 'vitest'
import { addPermissions, removePermissions } from '#contract/access/permissions.ts'
import { addComments, deleteComments, getComments, updateComments } from '#contract/comments/comments.ts'
import { countThreads, readThreads } from '#contract/comments/seen.ts'
import { setSubscriptions } from '#contract/comments/subscriptions.ts'
import { addThreads, deleteThreads, getThreads, updateThreads } from '#contract/comments/threads.ts'
import { listEvents } from '#contract/events/events.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { setDocumentAccess } from '#contract/resources/documents.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { disableUsers } from '#contract/users/disabled-users.ts'
import { setProfiles } from '#contract/users/profiles.ts'
import { addUserGroups, addUserGroupUsers, deleteUserGroupUsers } from '#contract/users/user-groups.ts'
import { type Answer, type Client, pagesOf } from '#testing/client.ts'
import { sharedServer } from '#testing/server.ts'
import {
  addThread,
  asUser,
  comment,
  newKeyWithDocuments,
  ON_ROADMAP,
  organizationId,
  readThread,
} from '#testing/threads.ts'
import { refused, refusedField, withoutRequestId } from '../../../../test/conformance/support/refused.ts'

const server = await sharedServer()
const RESOLVED = {
  id: 'RESOLVED',
  name: 'Resolved',
  type: 'terminal' as const,
  color: '#0a0',
  lightColor: '#afa',
  svg: '<svg/>',
}

/** Everybody of the world: `author` wrote the threads; `guest` belongs to another organization; `stranger` can open nothing. */
const PEOPLE = ['author', 'editor', 'commenter', 'viewer', 'named', 'guest', 'stranger'] as const
type Person = (typeof PEOPLE)[number]

async function newWorld(): Promise<{ key: Client; as: Record<Person, Client> }> {
  const key = await newKeyWithDocuments(server)
  await key.call(updateKeyConfig, { accessRoles: ['viewer', 'commenter', 'editor'] })
  await key.call(setDocumentAccess, { organizationId, documentIds: ['roadmap', 'plan'], accessType: 'restricted' })
  await key.call(addOrganizations, { organizations: [{ organizationId: 'globex' }] })
  const grant = (userId: string, ...resources: object[]) =>
    key.call(addPermissions, { user: { userId }, permissions: { resources } } as never)
  const roadmap = (accessRole: string) => ({ type: 'document', id: 'roadmap', organizationId, accessRole })
  const member = (id: string) => ({ type: 'organization', id, accessRole: 'viewer' })
  const roles = { author: 'commenter', editor: 'editor', commenter: 'commenter', viewer: 'viewer', named: 'viewer' }
  for (const [userId, role] of Object.entries(roles)) await grant(userId, roadmap(role), member(organizationId))
  await grant('guest', roadmap('editor'), member('globex'))
  await grant('stranger', member(organizationId))
  const clients = await Promise.all(PEOPLE.map(async (person) => [person, await asUser(key, person)]))
  return { key, as: Object.fromEntries(clients) }
}

/** One thread of each visibility, and a comment of `commenter` in each. */
async function addThreadsOfAll(key: Client): Promise<void> {
  const commentData = [comment('author', { commentId: 1 }), comment('commenter', { commentId: 2 })]
  await addThread(key, { annotationId: 'open', commentData })
  const restricted = { type: 'restricted' as const, userIds: ['named'] }
  await addThread(key, { annotationId: 'private', commentData, visibility: restricted })
  const ofMembers = { type: 'organizationPrivate' as const, organizationId }
  await addThread(key, { annotationId: 'members', commentData, visibility: ofMembers })
  await addThread(key, { annotationId: 'context', commentData, context: { access: { team: 'a' } } })
}

/** The threads that each person sees. */
const SEEN: Record<Person, string[]> = {
  author: ['members', 'open', 'private'],
  editor: ['members', 'open'],
  commenter: ['members', 'open'],
  viewer: ['members', 'open'],
  named: ['members', 'open', 'private'],
  guest: ['open'],
  stranger: [],
}
const ALL = ['context', 'members', 'open', 'private']

/** Returns the outcome of a call, or of one item in it, in one word. */
function outcome({ body }: Answer, item?: string): string {
  if (body.error !== undefined) return body.error.reason
  const result = item === undefined ? undefined : body.result.data[item]
  return result === undefined || result.success === true ? 'ok' : result.code
}

describe('reads', () => {
  let world: Awaited<ReturnType<typeof newWorld>>
  beforeAll(async () => {
    world = await newWorld()
    await addThreadsOfAll(world.key)
  })

  for (const person of PEOPLE)
    it(`show ${person} ${SEEN[person].join(', ') || 'nothing'}, in every call`, async () => {
      const client = world.as[person]
      const seen = SEEN[person]
      const isOpen = seen.length > 0
      const idsOf = (threads: unknown) =>
        (threads as ({ annotationId: string } | null)[]).map((thread) => thread?.annotationId ?? null)
      const listed = await client.post(getThreads.path, ON_ROADMAP)
      if (isOpen) assert.deepEqual(idsOf(listed.body.result.data).toSorted(), seen)
      else assert.equal(refused(listed, 'NOT_FOUND').reason, 'document_does_not_exist')
      const documentIds = ['roadmap', 'plan', 'unknown']
      const ofMany = await client.call(getThreads, { organizationId, documentIds })
      assert.deepEqual(idsOf(ofMany).toSorted(), seen)
      const byId = await client.call(getThreads, { organizationId, documentIds, annotationIds: ALL })
      assert.deepEqual(
        idsOf(byId),
        ALL.map((id) => (seen.includes(id) ? id : null)),
      )
      const none = { total: 0, unread: 0 }
      assert.deepEqual(await client.call(countThreads, { organizationId, documentIds }), {
        roadmap: { total: seen.length, unread: seen.length },
        plan: none,
        unknown: none,
      })
      for (const annotationId of ALL) {
        const answer = await client.post(getComments.path, { ...ON_ROADMAP, annotationId })
        const expected = !isOpen ? 'document_does_not_exist' : 'thread_does_not_exist'
        assert.equal(outcome(answer), seen.includes(annotationId) ? 'ok' : expected)
      }
    })

  it('of a page never reveal how many threads are hidden', async () => {
    const pages: number[] = []
    for await (const { data } of pagesOf((pageToken) =>
      world.as.guest.post(getThreads.path, { ...ON_ROADMAP, pageSize: 1, pageToken }),
    ))
      pages.push(data.length)
    assert.deepEqual(pages, [1])
  })

  it('need the documents to be named, and treat a folder that is unknown like an empty one', async () => {
    refusedField(await world.as.editor.post(getThreads.path, { organizationId }), 'documentIds')
    const inFolder = { ...ON_ROADMAP, folderId: 'unknown' }
    assert.deepEqual(await world.as.editor.call(getThreads, inFolder), [])
  })

  it('find threads by text among those that the user sees', async () => {
    const found = async (client: Client, text: string) =>
      ((await client.call(getThreads, { ...ON_ROADMAP, text })) as { annotationId: string }[])
        .map(({ annotationId }) => annotationId)
        .toSorted()
    assert.deepEqual(await found(world.key, 'BY Commenter'), ALL)
    assert.deepEqual(await found(world.as.guest, 'by cômmenter'), ['open'])
    assert.deepEqual(await found(world.key, 'by nobody'), [])
  })

  it('do not have the e-mail addresses of others', async () => {
    await world.key.call(setProfiles, {
      users: ['author', 'editor'].map((userId) => ({ userId, name: userId, email: `${userId}@example.com` })),
    } as never)
    const { body } = await world.as.editor.post(getThreads.path, { ...ON_ROADMAP, userIds: ['author'] })
    const [thread] = body.result.data
    assert.deepEqual(thread.from, { userId: 'author', name: 'author' })
    assert.doesNotMatch(JSON.stringify(thread), /@example.com/)
    const [root] = await world.as.author.call(getComments, { ...ON_ROADMAP, annotationId: 'open', commentIds: [1] })
    assert.equal(root?.from.email, 'author@example.com')
  })
})

it('something hidden and something that does not exist get the same response in every call', async () => {
  const { key, as } = await newWorld()
  await addThreadsOfAll(key)
  const thread = (annotationId: string) => ({ annotationId, annotationIds: [annotationId] })
  const calls: [{ path: string }, object, 'thread' | 'list'][] = [
    [getThreads, {}, 'list'],
    [updateThreads, { updatedData: { priority: { id: 'P1', name: 'High' } } }, 'list'],
    [deleteThreads, {}, 'list'],
    [readThreads, {}, 'list'],
    [setSubscriptions, { subscription: 'unsubscribed' }, 'list'],
    [addComments, { commentData: [{ commentText: 'x' }] }, 'thread'],
    [getComments, {}, 'thread'],
    [updateComments, { updatedData: { commentText: 'x' } }, 'thread'],
    [deleteComments, { commentIds: [1] }, 'thread'],
  ]
  for (const [{ path }, data, names] of calls) {
    const field = names === 'list' ? 'annotationIds' : 'annotationId'
    const ask = (client: Client, annotationId: string, document: object = ON_ROADMAP) =>
      client.post(path, { ...document, ...data, [field]: thread(annotationId)[field] })
    const absent = withoutRequestId(await ask(as.editor, 'absent'))
    for (const id of ['private', 'context'])
      assert.equal(withoutRequestId(await ask(as.editor, id)).replaceAll(id, 'absent'), absent, path)
    const nowhere = [
      await ask(as.stranger, 'open'),
      await ask(as.stranger, 'absent'),
      await ask(as.stranger, 'open', { organizationId, documentId: 'unknown' }),
      await ask(as.stranger, 'open', { organizationId: 'globex', documentId: 'roadmap' }),
      await ask(as.stranger, 'open', { organizationId: 'unknown', documentId: 'roadmap' }),
    ].map(withoutRequestId)
    assert.match(nowhere[0] ?? '', /document_does_not_exist/)
    assert.deepEqual(new Set(nowhere).size, 1, path)
  }
  assert.equal((await readThread(key, 'private')).comments.length, 2)
})

/** What each person may do: with an open thread of `author`, in which comment 1 is the author's and comment 2 is of `commenter`. */
const CALLS: Record<string, { call: (client: Client) => Promise<Answer>; item?: string; outcomes: string[] }> = {
  'add a thread': {
    call: (client) => client.post(addThreads.path, { ...ON_ROADMAP, commentAnnotations: [{ commentData: [{}] }] }),
    outcomes: ['ok', 'ok', 'ok', 'access_role_missing', 'access_role_missing', 'ok', 'document_does_not_exist'],
  },
  'add a comment': {
    call: (client) => client.post(addComments.path, { ...ON_ROADMAP, annotationId: 'open', commentData: [{}] }),
    outcomes: ['ok', 'ok', 'ok', 'access_role_missing', 'access_role_missing', 'ok', 'document_does_not_exist'],
  },
  "change the author's comment": {
    call: (client) =>
      client.post(updateComments.path, {
        ...{ ...ON_ROADMAP, annotationId: 'open', commentIds: [1] },
        updatedData: { commentText: 'x' },
      }),
    item: '1',
    outcomes: [
      'ok',
      'permission-denied',
      'permission-denied',
      'access_role_missing',
      'access_role_missing',
      'permission-denied',
      'document_does_not_exist',
    ],
  },
  "delete the commenter's comment": {
    call: (client) => client.post(deleteComments.path, { ...ON_ROADMAP, annotationId: 'open', commentIds: [2] }),
    item: '2',
    outcomes: [
      'permission-denied',
      'permission-denied',
      'ok',
      'access_role_missing',
      'access_role_missing',
      'permission-denied',
      'document_does_not_exist',
    ],
  },
  'resolve the thread': {
    call: (client) =>
      client.post(updateThreads.path, { ...ON_ROADMAP, annotationIds: ['open'], updatedData: { status: RESOLVED } }),
    item: 'open',
    outcomes: [
      'ok',
      'ok',
      'permission-denied',
      'access_role_missing',
      'access_role_missing',
      'ok',
      'document_does_not_exist',
    ],
  },
  'hide the thread': {
    call: (client) =>
      client.post(updateThreads.path, {
        ...{ ...ON_ROADMAP, annotationIds: ['open'] },
        updatedData: { visibility: { type: 'public' } },
      }),
    item: 'open',
    outcomes: [
      'ok',
      'permission-denied',
      'permission-denied',
      'access_role_missing',
      'access_role_missing',
      'permission-denied',
      'document_does_not_exist',
    ],
  },
  'mark it as seen': {
    call: (client) => client.post(readThreads.path, { ...ON_ROADMAP, annotationIds: ['open'] }),
    item: 'open',
    outcomes: ['ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'document_does_not_exist'],
  },
  'mute it': {
    call: (client) =>
      client.post(setSubscriptions.path, { ...ON_ROADMAP, annotationIds: ['open'], subscription: 'unsubscribed' }),
    item: 'open',
    outcomes: ['ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'document_does_not_exist'],
  },
  'delete the thread': {
    call: (client) => client.post(deleteThreads.path, { ...ON_ROADMAP, annotationIds: ['open'] }),
    item: 'open',
    outcomes: [
      'ok',
      'ok',
      'permission-denied',
      'access_role_missing',
      'access_role_missing',
      'ok',
      'document_does_not_exist',
    ],
  },
}

describe('who may', () => {
  let world: Awaited<ReturnType<typeof newWorld>>
  beforeAll(async () => {
    world = await newWorld()
  })
  for (const [name, { call, item, outcomes }] of Object.entries(CALLS))
    it(name, async () => {
      const { key, as } = world
      const got: string[] = []
      for (const person of PEOPLE) {
        await key.call(deleteThreads, { ...ON_ROADMAP })
        const commentData = [comment('author', { commentId: 1 }), comment('commenter', { commentId: 2 })]
        await addThread(key, { annotationId: 'open', commentData })
        got.push(outcome(await call(as[person]), item))
      }
      assert.deepEqual(
        Object.fromEntries(PEOPLE.map((person, index) => [person, got[index]])),
        Object.fromEntries(PEOPLE.map((person, index) => [person, outcomes[index]])),
      )
    })
})

describe('a call with a user token', () => {
  let world: Awaited<ReturnType<typeof newWorld>>
  beforeAll(async () => {
    world = await newWorld()
    await addThreadsOfAll(world.key)
  })
  const added = async (client: Client, thread: object, more: object = {}) =>
    client.post(addThreads.path, { ...ON_ROADMAP, commentAnnotations: [thread], ...more })

  it('fills in the author, whose name and picture come from the profile alone', async () => {
    const from = { userId: 'editor', name: 'The Author', photoUrl: 'https://example.com/author.png' }
    const answer = await added(world.as.editor, { commentData: [{ commentText: 'hello', from }] })
    const [id = ''] = Object.keys(answer.body.result.data)
    assert.deepEqual((await readThread(world.key, id)).from, { userId: 'editor' })
  })

  it('is refused for another user in every field that names the one who acts', async () => {
    const { editor } = world.as
    const other = { userId: 'author' }
    const inThread = { ...ON_ROADMAP, annotationId: 'open' }
    const inList = { ...ON_ROADMAP, annotationIds: ['open'] }
    const answers = [
      await added(editor, { commentData: [{ from: other }] }),
      await editor.post(addComments.path, { ...inThread, commentData: [{ from: other }] }),
      await editor.post(updateComments.path, { ...inThread, updatedData: { from: other } }),
      await editor.post(updateComments.path, { ...inThread, userIds: ['author'], updatedData: { commentText: 'x' } }),
      await editor.post(deleteComments.path, { ...inThread, userIds: ['author'] }),
      await editor.post(updateThreads.path, { ...inList, updatedData: { from: other } }),
      await editor.post(updateThreads.path, { ...inList, updatedData: { resolvedByUserId: 'author' } }),
      await editor.post(updateThreads.path, { ...inList, updatedData: { statusUpdatedByUserId: 'author' } }),
      await editor.post(readThreads.path, { ...inList, userId: 'author' }),
      await editor.post(setSubscriptions.path, { ...inList, userId: 'author', subscription: 'unsubscribed' }),
      await editor.post(countThreads.path, { organizationId, documentIds: ['roadmap'], userId: 'author' }),
    ]
    for (const answer of answers) assert.equal(refused(answer, 'PERMISSION_DENIED').reason, 'other_user')
  })

  it('cannot create documents, choose ids of threads, backdate, be an agent, or set an access context', async () => {
    const { editor } = world.as
    const at = 'commentAnnotations[0]'
    const agent = {
      agentSource: 'external',
      agentId: 'x',
      agentName: 'x',
      reason: { title: 'x', description: 'x', severity: 'low' },
    }
    const cases: [string, object, object?][] = [
      [`${at}.annotationId`, { annotationId: 'open' }],
      [`${at}.createdAt`, { createdAt: 1 }],
      [`${at}.lastUpdated`, { lastUpdated: 1 }],
      [`${at}.context.access`, { context: { access: { team: 'a' } } }],
      [`${at}.commentData[0].createdAt`, { commentData: [{ createdAt: 1 }] }],
      [`${at}.commentData[0].agent`, { commentData: [{ agent }] }],
      ['createDocument', {}, { createDocument: true }],
    ]
    for (const [field, thread, more] of cases)
      refusedField(
        await added(editor, { commentData: [{}], ...thread }, more),
        field,
        /must not be given with a user token/,
      )
    const update = (updatedData: object, more: object = {}) =>
      editor.post(updateThreads.path, { ...ON_ROADMAP, annotationIds: ['open'], updatedData, ...more })
    refusedField(await update({ createdAt: 1 }), 'updatedData.createdAt')
    const pairs = [{ oldUser: { userId: 'author' }, newUser: { userId: 'editor' } }]
    refusedField(await update({}, { updateUsers: pairs }), 'updateUsers')
  })

  it('hides a thread only for organizations of which the user is a member, unknown ones like others', async () => {
    const { editor, guest } = world.as
    const hidden = (id: string) => ({
      commentData: [{}],
      visibility: { type: 'organizationPrivate', organizationId: id },
    })
    const field = 'commentAnnotations[0].visibility.organizationId'
    const refusals = await Promise.all(['globex', 'unknown'].map((id) => added(editor, hidden(id))))
    for (const answer of refusals)
      refusedField(answer, field, `${field} must be an organization of which the user is a member`)
    assert.equal((await added(editor, hidden(organizationId))).http, 200)
    assert.equal((await added(guest, hidden('globex'))).http, 200)
    refusedField(await added(guest, hidden(organizationId)), field)
  })

  it('sets who changed the status and who resolved the thread', async () => {
    const { key, as } = world
    const id = await addThread(key, {})
    await as.editor.call(updateThreads, { ...ON_ROADMAP, annotationIds: [id], updatedData: { status: RESOLVED } })
    const { statusUpdatedByUserId, resolvedByUserId } = await readThread(key, id)
    assert.deepEqual([statusUpdatedByUserId, resolvedByUserId], ['editor', 'editor'])
    const { events } = await key.call(listEvents, { types: ['thread.status_changed'] })
    assert.equal(events[0]?.userId, 'editor')
    assert.deepEqual(events[0]?.actor, { apiKey: key.headers['x-service-api-key'], userToken: true })
  })

  it('lets nobody clear or set who changed the status, or who resolved the thread', async () => {
    const { key, as } = world
    const id = await addThread(key, { commentData: [comment('author')] })
    const change = (client: Client, updatedData: object) =>
      client.post(updateThreads.path, { ...ON_ROADMAP, annotationIds: [id], updatedData })
    const named = { statusUpdatedByUserId: 'author', resolvedByUserId: 'author' }
    assert.equal(outcome(await change(as.author, { status: RESOLVED, ...named })), 'ok')
    for (const field of Object.keys(named)) {
      const at = `updatedData.${field}`
      for (const own of [null, 'editor']) refusedField(await change(as.editor, { [field]: own }), at, /beside a status/)
      refusedField(await change(as.editor, { status: RESOLVED, [field]: null }), at, /the service sets it/)
    }
    const { statusUpdatedByUserId, resolvedByUserId } = await readThread(key, id)
    assert.deepEqual({ statusUpdatedByUserId, resolvedByUserId }, named)
  })

  it('makes nobody the author of the thread of another, also where the first comment is deleted', async () => {
    const { key, as } = world
    const id = await addThread(key, { commentData: [comment('author'), comment('commenter')] })
    const inThread = { ...ON_ROADMAP, annotationId: id }
    await as.author.call(deleteComments, inThread)
    const updatedData = { commentText: 'mine now', from: { userId: 'commenter' } }
    assert.equal((await as.commenter.post(updateComments.path, { ...inThread, updatedData })).http, 200)
    const { from, comments } = await readThread(key, id)
    assert.deepEqual([from.userId, comments.map(({ commentText }) => commentText)], ['author', ['mine now']])
    const visibility = { type: 'restricted', userIds: ['named'] }
    const change = { ...ON_ROADMAP, annotationIds: [id], updatedData: { visibility } }
    assert.equal(outcome(await as.commenter.post(updateThreads.path, change), id), 'permission-denied')
    assert.equal(outcome(await as.author.post(updateThreads.path, change), id), 'ok')
    assert.equal(outcome(await as.commenter.post(getComments.path, inThread)), 'thread_does_not_exist')
  })

  it('without ids applies to items that the user may change, and fails for items that they only see', async () => {
    const { key, as } = world
    await key.call(deleteThreads, { ...ON_ROADMAP })
    await addThreadsOfAll(key)
    const own = await as.commenter.post(updateComments.path, {
      ...ON_ROADMAP,
      annotationId: 'open',
      updatedData: { commentText: 'x' },
    })
    assert.deepEqual(Object.keys(own.body.result.data), ['2'])
    const all = await as.commenter.post(deleteThreads.path, { ...ON_ROADMAP })
    assert.deepEqual(all.body.result.data.open?.code, 'permission-denied')
    assert.deepEqual(Object.keys(all.body.result.data).toSorted(), ['members', 'open'])
    const byEditor = await as.editor.post(deleteThreads.path, { ...ON_ROADMAP })
    assert.deepEqual(Object.keys(byEditor.body.result.data).toSorted(), ['members', 'open'])
    const { length } = (await key.call(getThreads, ON_ROADMAP)) as unknown[]
    assert.equal(length, 2)
  })

  it('gives each user Idempotency-Keys of their own', async () => {
    const { as } = world
    const data = { ...ON_ROADMAP, commentAnnotations: [{ commentData: [{ commentText: 'once' }] }] }
    const keyed = (client: Client) => client.with({ ...client.headers, 'idempotency-key': 'one' })
    const [first, repeated] = [
      await keyed(as.editor).post(addThreads.path, data),
      await keyed(as.editor).post(addThreads.path, data),
    ]
    assert.deepEqual([repeated.text, repeated.headers.get('idempotent-replayed')], [first.text, 'true'])
    const other = await keyed(as.commenter).post(addThreads.path, data)
    assert.equal(other.headers.get('idempotent-replayed'), null)
    assert.notEqual(other.text, first.text)
  })
})

describe('from the next call on', () => {
  const see = async (client: Client) =>
    outcome(await client.post(getComments.path, { ...ON_ROADMAP, annotationId: 'open' }))
  const write = async (client: Client) =>
    outcome(await client.post(addComments.path, { ...ON_ROADMAP, annotationId: 'open', commentData: [{}] }))
  const grants = (key: Client, userId: string, more: object) =>
    key.call(addPermissions, {
      user: { userId },
      permissions: { resources: [{ type: 'document', id: 'roadmap', organizationId, ...more }] },
    } as never)

  it('a revoked, downgraded, expired or disabled user sees and writes nothing more', async () => {
    const { key, as } = await newWorld()
    await addThreadsOfAll(key)
    const gone = 'document_does_not_exist'
    await key.call(removePermissions, {
      userId: 'editor',
      permissions: { resources: [{ type: 'document', id: 'roadmap', organizationId }] },
    })
    assert.deepEqual([await see(as.editor), await write(as.editor)], [gone, gone])
    await grants(key, 'commenter', { accessRole: 'viewer' })
    assert.deepEqual([await see(as.commenter), await write(as.commenter)], ['ok', 'access_role_missing'])
    const temporary = await asUser(key, 'temporary')
    await grants(key, 'temporary', { accessRole: 'editor', expiresAt: 1 })
    assert.deepEqual([await see(temporary), await write(temporary)], [gone, gone])
    await key.call(disableUsers, { userIds: ['guest'], disabled: true })
    assert.deepEqual([await see(as.guest), await write(as.guest)], ['user_disabled', 'user_disabled'])
  })

  it('a user who left a group, or the organization of a private thread, does not see it', async () => {
    const { key } = await newWorld()
    await addThreadsOfAll(key)
    await key.call(addUserGroups, { organizationId, organizationUserGroups: [{ groupId: 'design' }] })
    await key.call(addPermissions, {
      group: { organizationId, groupId: 'design' },
      permissions: { resources: [{ type: 'document', id: 'roadmap', organizationId, accessRole: 'editor' }] },
    } as never)
    await key.call(addPermissions, {
      user: { userId: 'grace' },
      permissions: { resources: [{ type: 'organization', id: organizationId }] },
    })
    const grace = await asUser(key, 'grace')
    const inGroup = { organizationId, organizationUserGroupId: 'design', userIds: ['grace'] }
    assert.equal(await see(grace), 'document_does_not_exist')
    await key.call(addUserGroupUsers, inGroup)
    assert.equal(await see(grace), 'ok')
    await key.call(deleteUserGroupUsers, inGroup)
    assert.equal(await see(grace), 'document_does_not_exist')
    await grants(key, 'grace', { accessRole: 'viewer' })
    const seen = async () => outcome(await grace.post(getComments.path, { ...ON_ROADMAP, annotationId: 'members' }))
    assert.equal(await seen(), 'ok')
    await key.call(removePermissions, {
      userId: 'grace',
      permissions: { resources: [{ type: 'organization', id: organizationId }] },
    })
    assert.equal(await seen(), 'thread_does_not_exist')
    assert.equal(await see(grace), 'ok')
  })
})

it('on keys without the role commenter only editors write', async () => {
  const key = await newKeyWithDocuments(server)
  await addThread(key, { annotationId: 'open' })
  const stranger = await asUser(key, 'anybody')
  const add = () => stranger.post(addComments.path, { ...ON_ROADMAP, annotationId: 'open', commentData: [{}] })
  assert.equal(outcome(await add()), 'ok') // the document is public, and the default role is editor
  await key.call(updateKeyConfig, { defaultAccessRole: 'viewer' })
  assert.equal(outcome(await add()), 'access_role_missing')
})
