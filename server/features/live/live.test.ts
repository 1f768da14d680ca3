/** Live streams: which items are sent to whom, how streams resume without a gap, and how they end (rules/comments.md#live). */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { beforeAll, describe, it } from 'vitest'
import { addPermissions, removePermissions } from '#contract/access/permissions.ts'
import { setCommentData } from '#contract/comments/comment-data.ts'
import { addComments } from '#contract/comments/comments.ts'
import { addThreads, deleteThreads, updateThreads } from '#contract/comments/threads.ts'
import { LIMITS } from '#contract/core/limits.ts'
import { addDomains } from '#contract/keys/domains.ts'
import { updateNotificationConfig } from '#contract/keys/notification-config.ts'
import { addNotification } from '#contract/notifications/notifications.ts'
import { addDocuments, deleteDocuments, setDocumentAccess } from '#contract/resources/documents.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { disableUsers } from '#contract/users/disabled-users.ts'
import { generateToken, revokeTokens } from '#contract/users/user-tokens.ts'
import { cleanUp } from '#testing/clean-up.ts'
import type { Client } from '#testing/client.ts'
import { until } from '#testing/eventually.ts'
import { type LivePage, openLivePage } from '#testing/live-stream.ts'
import { recordStatements } from '#testing/rows-of-calls.ts'
import { sharedServer, startServer } from '#testing/server.ts'
import { addThread, comment, newKeyWithDocuments, ON_ROADMAP, organizationId } from '#testing/threads.ts'

const server = await sharedServer()
const roadmap = { type: 'document' as const, id: 'roadmap', organizationId }
const organization = { type: 'organization' as const, id: organizationId }

interface World {
  key: Client
  open(userId: string, data?: object, headers?: Record<string, string>): Promise<LivePage>
}

/** Returns a data set in which ada, bob and zoe can open `roadmap`, and eve only belongs to the organization. */
async function newWorld(of: { url: string; newKey: typeof server.newKey } = server): Promise<World> {
  const key = await newKeyWithDocuments(of)
  await key.call(updateNotificationConfig, { useNotificationService: true })
  await key.call(setDocumentAccess, { organizationId, documentIds: ['roadmap', 'plan'], accessType: 'restricted' })
  for (const userId of ['ada', 'bob', 'zoe', 'eve']) {
    const resources = userId === 'eve' ? [organization] : [roadmap, organization]
    await key.call(addPermissions, { user: { userId }, permissions: { resources } })
  }
  return {
    key,
    async open(userId, data = {}, headers = {}) {
      const { token } = await key.call(generateToken, { userId })
      const page = await openLivePage(of.url, token, { organizationId, documentIds: ['roadmap'], ...data }, headers)
      if (page.http === 200) await page.received('ready')
      return page
    },
  }
}

/** Writes into a public thread that everybody sees, so that earlier items have arrived by then or never will. */
async function mark({ key }: World, pages: readonly LivePage[]): Promise<void> {
  const id = await addThread(key, {})
  for (const page of pages)
    await until(`the thread ${id}`, () => page.events.some(({ data }) => data.annotationId === id))
}
const namesOf = (page: LivePage) =>
  page.events.filter(({ event }) => event === 'thread').map(({ data }) => [data.annotationId, data.thread && 'seen'])

describe('a stream', () => {
  let world: World
  beforeAll(async () => {
    world = await newWorld()
  })

  it('reports which documents are open, hidden ones like unknown ones, and sends threads as the user sees them', async () => {
    const page = await world.open('ada', { documentIds: ['roadmap', 'plan', 'unknown'] })
    assert.deepEqual((await page.received('ready'))[0], { documents: { roadmap: true, plan: false, unknown: false } })
    const id = await addThread(world.key, { commentData: [comment('bob')] })
    const [sent] = await page.received('thread')
    assert.deepEqual([sent.documentId, sent.annotationId, sent.thread.from], ['roadmap', id, { userId: 'bob' }])
    await world.key.call(addComments, { ...ON_ROADMAP, annotationId: id, commentData: [comment('bob')] })
    assert.equal((await page.received('thread', 2))[1].thread.comments.length, 2)
    await world.key.call(deleteThreads, { ...ON_ROADMAP, annotationIds: [id] })
    assert.equal((await page.received('thread', 3))[2].thread, null)
  })

  it('reports another role within five seconds, and nothing while the role stays', async () => {
    const own = await newWorld()
    const give = (accessRole: 'viewer' | 'editor') =>
      own.key.call(addPermissions, {
        user: { userId: 'eve' },
        permissions: { resources: [{ ...roadmap, accessRole }] },
      })
    await give('viewer')
    const eve = await own.open('eve')
    await eve.received('ready')
    for (const [nth, role] of (['editor', 'viewer'] as const).entries()) {
      await give(role)
      assert.equal((await eve.received('document', nth + 1))[nth].open, true)
    }
    await own.key.call(removePermissions, { user: { userId: 'eve' }, permissions: { resources: [roadmap] } })
    assert.deepEqual(
      (await eve.received('document', 3)).map(({ open }) => open),
      [true, true, false],
    )
  })

  it('says that a private thread is gone which the page has read since its document was opened', async () => {
    const own = await newWorld()
    const visibility = { type: 'restricted' as const, userIds: ['eve'] }
    const ids = [await addThread(own.key, { visibility }), await addThread(own.key, { visibility })]
    const eve = await own.open('eve')
    await own.key.call(addPermissions, { user: { userId: 'eve' }, permissions: { resources: [roadmap] } })
    assert.equal((await eve.received('document'))[0].open, true)
    for (const id of ids) {
      await own.key.call(deleteThreads, { ...ON_ROADMAP, annotationIds: [id] })
      // The thread itself may come before: the stream can begin before its event.
      await until('the thread is gone', () => namesOf(eve).some(([name, seen]) => name === id && seen === null))
    }
  })

  it('sends a private thread to nobody else, in any of its states', async () => {
    const pages = [await world.open('ada'), await world.open('bob'), await world.open('zoe'), await world.open('eve')]
    const [ada, bob, zoe, eve] = pages as [LivePage, LivePage, LivePage, LivePage]
    const id = await addThread(world.key, { visibility: { type: 'restricted', userIds: ['zoe'] } })
    const inThread = { ...ON_ROADMAP, annotationId: id }
    await world.key.call(addComments, { ...inThread, commentData: [comment('ada')] })
    await mark(world, [ada, bob, zoe])
    const visibility = (...userIds: string[]) =>
      world.key.call(updateThreads, {
        ...{ ...ON_ROADMAP, annotationIds: [id] },
        updatedData: { visibility: { type: 'restricted', userIds } },
      })
    await visibility('nobody')
    await mark(world, [ada, bob, zoe])
    await world.key.call(deleteThreads, { ...ON_ROADMAP, annotationIds: [id] })
    await mark(world, [ada, bob, zoe])
    const about = (page: LivePage) =>
      namesOf(page)
        .filter(([name]) => name === id)
        .map(([, seen]) => seen)
    assert.equal(about(ada).at(-1), null)
    assert.equal(about(zoe).at(-1), null)
    assert.ok(about(ada).includes('seen') && about(zoe).includes('seen'))
    assert.deepEqual([about(bob), namesOf(eve)], [[], []])
  })

  it('does not even send a new position for a hidden thread', async () => {
    const [bob, zoe] = [await world.open('bob'), await world.open('zoe')]
    await mark(world, [bob, zoe])
    const before = bob.lastId
    const id = await addThread(world.key, { visibility: { type: 'restricted', userIds: ['zoe'] } })
    await until('the private thread', () => namesOf(zoe).some(([name]) => name === id))
    await world.key.call(deleteThreads, { ...ON_ROADMAP, annotationIds: [id] })
    await until('its end', () => namesOf(zoe).at(-1)?.[1] === null)
    assert.equal(bob.lastId, before)
  })

  it('has ids of one length, whatever the newest notification of the organization is', async () => {
    const { key, open } = await newWorld()
    const lengthFor = async (of: string) => {
      const page = await open('stranger', { organizationId: of, inbox: true })
      await until('an id', () => page.ids > 0)
      page.close()
      return page.lastId.length
    }
    const lengths = new Set([await lengthFor('unknown'), await lengthFor(organizationId)])
    const texts = { displayHeadlineMessageTemplate: 'x', displayBodyMessage: 'x' }
    for (const notificationId of ['n', 'n'.repeat(LIMITS.idCharactersMax)]) {
      await key.call(addNotification, { ...ON_ROADMAP, ...texts, notificationId, actionUser: { userId: 'ada' } })
      lengths.add(await lengthFor(organizationId))
    }
    assert.equal(lengths.size, 1, `lengths ${[...lengths].join()}`)
  })

  it('sends nothing when something changes in a closed document, and lets the page load what it missed later', async () => {
    const [bob, zoe] = [await world.open('bob'), await world.open('zoe')]
    await mark(world, [bob, zoe])
    const { ids } = bob
    await world.key.call(removePermissions, { userId: 'bob', permissions: { resources: [roadmap] } })
    await mark(world, [zoe])
    assert.equal(bob.ids, ids)
    await world.key.call(addPermissions, { user: { userId: 'bob' }, permissions: { resources: [roadmap] } })
    const opened = () => bob.events.findLast(({ event }) => event === 'document')?.data.open === true
    await until('the document', opened)
    assert.equal(namesOf(bob).length, 1)
  })

  it('withdraws a thread from users for whom it is no longer public', async () => {
    const page = await world.open('bob')
    const id = await addThread(world.key, {})
    await page.received('thread')
    await world.key.call(updateThreads, {
      ...{ ...ON_ROADMAP, annotationIds: [id] },
      updatedData: { visibility: { type: 'restricted', userIds: ['zoe'] } },
    })
    assert.equal((await page.received('thread', 2))[1].thread, null)
  })

  it('sends nobody a thread with an access context, and withdraws one that gets a context', async () => {
    const zoe = await world.open('zoe')
    const change = (id: string, updatedData: object) =>
      world.key.call(updateThreads, { ...ON_ROADMAP, annotationIds: [id], updatedData })
    const context = { access: { team: 'red' } }
    const hidden = await addThread(world.key, { context })
    await change(hidden, { visibility: { type: 'restricted', userIds: ['zoe'] } })
    await change(hidden, { visibility: { type: 'public' } })
    await world.key.call(deleteThreads, { ...ON_ROADMAP, annotationIds: [hidden] })
    const shown = await addThread(world.key, {})
    await until('the thread', () => namesOf(zoe).some(([name]) => name === shown))
    await change(shown, { context })
    await until('its end', () => namesOf(zoe).some(([name, seen]) => name === shown && seen === null))
    assert.deepEqual(
      namesOf(zoe).filter(([name]) => name === hidden),
      [],
    )
  })

  it('names a thread that is too large to be sent', async () => {
    const page = await world.open('ada')
    const large = comment('bob', { commentHtml: 'x'.repeat(60_000), commentText: 'y'.repeat(30_000) })
    const id = await addThread(world.key, { commentData: [large] })
    assert.deepEqual(await page.received('thread'), [{ ...ON_ROADMAP, annotationId: id }])
  })

  it('does not report threads that were deleted while their document was closed to the user, when it is resumed', async () => {
    const own = await newWorld()
    const permissions = { resources: [roadmap] }
    await own.key.call(removePermissions, { userId: 'bob', permissions })
    const before = await own.open('bob', { documentIds: ['roadmap', 'plan'] })
    const id = await addThread(own.key, {})
    await own.key.call(deleteThreads, { ...ON_ROADMAP, annotationIds: [id] })
    await own.key.call(addPermissions, { user: { userId: 'bob' }, permissions })
    const position = before.lastId
    before.close()
    const after = await own.open('bob', { documentIds: ['roadmap', 'plan'] }, { 'last-event-id': position })
    await mark(own, [after])
    assert.ok(!namesOf(after).some(([name]) => name === id))
  })

  it('resumes without a gap from the last id, on another stream', async () => {
    const first = await world.open('ada')
    await mark(world, [first])
    await until('an id', () => first.lastId !== '')
    first.close()
    const missed = [await addThread(world.key, {}), await addThread(world.key, {})]
    const second = await world.open('ada', {}, { 'last-event-id': first.lastId })
    await second.received('thread', 2)
    const arrived = new Set(second.events.map(({ data }) => data.annotationId))
    assert.ok(missed.every((id) => arrived.has(id)))
    const other = await world.open('bob', {}, { 'last-event-id': first.lastId })
    assert.match(other.refusal, /Last-Event-ID/)
  })

  it('reports exactly the items of the list of the inbox', async () => {
    const [ada, eve] = [await world.open('ada', { inbox: true }), await world.open('eve', { inbox: true })]
    await addThread(world.key, { commentData: [comment('bob', { triggerNotification: true })] })
    const [fromThread] = await ada.received('inbox')
    assert.equal(fromThread.notificationIds.length, 1)
    const told = { actionUser: { userId: 'bob' }, displayHeadlineMessageTemplate: 'x', displayBodyMessage: 'x' }
    const context = { access: { team: 'x' } }
    await world.key.call(addNotification, { ...ON_ROADMAP, ...told, notificationId: 'of-team', context })
    await world.key.call(addNotification, { ...ON_ROADMAP, ...told, notificationId: 'for-all' })
    assert.deepEqual((await ada.received('inbox', 2))[1].notificationIds, ['for-all'])
    assert.deepEqual(
      (await eve.received('inbox')).map(({ notificationIds }) => notificationIds),
      [['for-all']],
    )
  })

  it('does not report imported notifications that name a hidden thread', async () => {
    const [eve, zoe] = [await world.open('eve', { inbox: true }), await world.open('zoe', { inbox: true })]
    const targetAnnotationId = await addThread(world.key, { visibility: { type: 'restricted', userIds: ['zoe'] } })
    const told = { documentId: 'roadmap', actionUser: { userId: 'bob' }, notificationSource: 'custom' as const }
    const texts = { displayHeadlineMessageTemplate: 'x', displayBodyMessage: 'x', notifyAll: true }
    // They are newer than all earlier ones; the next notification makes the streams read.
    const one = { ...told, ...texts, timestamp: Date.now() + 1000 }
    const notifications = [
      { ...one, notificationId: 'of-hidden', targetAnnotationId },
      { ...one, notificationId: 'of-none' },
    ]
    assert.deepEqual(await world.key.call(setCommentData, { organizationId, notifications }), [])
    await world.key.call(addNotification, {
      ...{ ...ON_ROADMAP, ...texts, notificationId: 'waking', actionUser: { userId: 'bob' } },
    })
    const ids = ({ events }: typeof eve) => events.flatMap(({ data }) => data.notificationIds ?? [])
    await until('the imported ones', () => [eve, zoe].every((page) => ids(page).includes('of-none')))
    assert.deepEqual([ids(eve).includes('of-hidden'), ids(zoe).includes('of-hidden')], [false, true])
  })

  it('reports new items of the inbox by a clock that was set back, as in a database that takes over', async () => {
    const own = await newWorld()
    const page = await own.open('ada', { inbox: true })
    const add = (notificationId: string) =>
      own.key.call(addNotification, {
        ...{ ...ON_ROADMAP, notificationId, actionUser: { userId: 'bob' } },
        ...{ displayHeadlineMessageTemplate: 'x', displayBodyMessage: 'x' },
        notifyUsers: [{ userId: 'ada', email: 'ada@example.com' }],
      })
    await add('former-clock')
    for (const table of ['notifications', 'notification_recipients'])
      await server.db.query(
        `update ${table} set notified_at = notified_at + interval '1 hour' where notification_id = $1`,
        ['former-clock'],
      )
    const has = (id: string) => page.events.filter(({ data }) => data.notificationIds?.includes(id)).length
    await until('the first one', () => has('former-clock') > 0)
    await add('clock-now')
    await until('the second one', () => has('clock-now') > 0)
    const [{ columns }] = (
      await server.db.query(
        `select string_agg(format('%I', attname), ', ' order by attnum) as columns from pg_attribute
          where attrelid = 'notifications'::regclass and attnum > 0 and not attisdropped
            and attname not in ('notification_id', 'notified_at')`,
      )
    ).rows as [{ columns: string }]
    await server.db.query(
      `with late as (
         insert into notifications (notification_id, notified_at, ${columns})
         select 'committed-late', clock_timestamp() - interval '3 seconds', ${columns}
           from notifications where notification_id = 'clock-now' returning *
       )
       insert into notification_recipients (organization_key, notification_id, user_id, notified_at, is_named)
       select organization_key, notification_id, 'ada', notified_at, true from late`,
    )
    await until('the third one', () => has('committed-late') > 0)
    await mark(own, [page])
    assert.deepEqual([has('clock-now'), has('committed-late')], [1, 1])
  })

  it('resumes the inbox without a gap', async () => {
    const first = await world.open('ada', { inbox: true })
    await until('an id', () => first.lastId !== '')
    first.close()
    await addThread(world.key, { commentData: [comment('bob', { triggerNotification: true })] })
    const second = await world.open('ada', { inbox: true }, { 'last-event-id': first.lastId })
    assert.equal((await second.received('inbox'))[0].notificationIds.length, 1)
  })
})

describe('a revocation', () => {
  it('of access to a document ends its threads with the next item, and is reported to the page without one', async () => {
    const world = await newWorld()
    const [bob, zoe] = [await world.open('bob'), await world.open('zoe')]
    const revoke = (userId: string) =>
      world.key.call(removePermissions, { userId, permissions: { resources: [roadmap] } })
    await revoke('bob')
    await mark(world, [zoe])
    assert.deepEqual([namesOf(bob), (await bob.received('document'))[0].open], [[], false])
    await revoke('zoe')
    assert.deepEqual(await zoe.received('document'), [{ ...ON_ROADMAP, open: false }])
    await world.key.call(addPermissions, { user: { userId: 'zoe' }, permissions: { resources: [roadmap] } })
    assert.equal((await zoe.received('document', 2))[1].open, true)
  })

  it('of the token, and a disabled user, end the stream', async () => {
    const world = await newWorld()
    const [bob, zoe] = [await world.open('bob'), await world.open('zoe')]
    await world.key.call(revokeTokens, { userId: 'bob' })
    await world.key.call(disableUsers, { userIds: ['zoe'], disabled: true })
    for (const page of [bob, zoe]) {
      assert.deepEqual(await page.received('end'), [{ reason: 'signed_out' }])
      await until('the end', () => page.isEnded)
    }
  })
})

describe('membership in another organization', () => {
  it('shows and hides the threads that are private to it, while the page is open', async () => {
    const world = await newWorld()
    await world.key.call(addOrganizations, { organizations: [{ organizationId: 'globex' }] })
    const permissions = { resources: [{ type: 'organization' as const, id: 'globex' }] }
    const join = (userId: string) => world.key.call(addPermissions, { user: { userId }, permissions })
    const leave = (userId: string) => world.key.call(removePermissions, { userId, permissions })
    await join('bob')
    const ofGlobex = { type: 'organizationPrivate' as const, organizationIds: ['globex'] }
    const id = await addThread(world.key, { visibility: ofGlobex })
    const ofZoe = await addThread(world.key, { visibility: { type: 'restricted', userIds: ['zoe'] } })
    const [ada, bob, zoe] = [await world.open('ada'), await world.open('bob'), await world.open('zoe')]
    // Threads of which the stream begins to report may come first.
    const last = (page: LivePage) => namesOf(page).findLast(([name]) => name === id)?.[1]
    await leave('bob')
    await until('the end of the thread', () => last(bob) === null)
    await join('zoe')
    await until('the thread', () => last(zoe) === 'seen')
    await leave('zoe')
    await join('bob')
    await until('the thread', () => last(bob) === 'seen')
    await until('the end of the thread', () => last(zoe) === null)
    assert.ok(namesOf(bob).every(([name]) => name === id))
    // Ada wrote both threads.
    assert.ok(namesOf(ada).every(([, seen]) => seen === 'seen'))
    assert.notEqual(namesOf(zoe).findLast(([name]) => name === ofZoe)?.[1], null)
  })
})

describe('a membership that ends at once', () => {
  it('takes with it what was sent during it, although each check finds the same', async () => {
    const world = await newWorld()
    await world.key.call(addOrganizations, { organizations: [{ organizationId: 'globex' }] })
    const permissions = { resources: [{ type: 'organization' as const, id: 'globex' }] }
    const ofGlobex = { type: 'organizationPrivate' as const, organizationIds: ['globex'] }
    await world.key.call(addPermissions, { user: { userId: 'bob' }, permissions })
    const [bob, zoe] = [await world.open('bob'), await world.open('zoe')]
    // Bob is a member already, but no thread is private to the organization; zoe enters it. Both leave right away.
    await world.key.call(addPermissions, { user: { userId: 'zoe' }, permissions })
    const id = await addThread(world.key, { visibility: ofGlobex })
    const last = (page: LivePage) => namesOf(page).findLast(([name]) => name === id)?.[1]
    await until('the thread', () => [bob, zoe].every((page) => last(page) === 'seen'))
    for (const userId of ['bob', 'zoe']) await world.key.call(removePermissions, { userId, permissions })
    await until('the end of the thread', () => [bob, zoe].every((page) => last(page) === null))
  })
})

it('a page loads a document again that was deleted and added under its id between two checks', async () => {
  const { key, open } = await newWorld()
  await addThread(key, {})
  const bob = await open('bob', { documentIds: ['roadmap', 'plan'] })
  await key.call(deleteDocuments, { organizationId, documentIds: ['roadmap'] })
  await key.call(addDocuments, { organizationId, documents: [{ documentId: 'roadmap' }] })
  assert.deepEqual(await bob.received('document'), [{ ...ON_ROADMAP, open: true }])
})

describe('the request of a stream', () => {
  it('is refused in the form of every call: without a user token, from another page, with wrong fields', async () => {
    const { key, open } = await newWorld()
    const { url } = server
    const post = async (headers: Record<string, string>, data: object) => {
      const response = await fetch(`${url}/v2/live`, {
        ...{ method: 'POST', body: JSON.stringify({ data }) },
        headers: { 'content-type': 'application/json', ...headers },
      })
      return [response.status, (await response.json()) as { error: { reason: string; details: unknown } }] as const
    }
    assert.equal((await post({}, { organizationId }))[0], 400)
    assert.equal((await post({ ...key.headers }, { organizationId }))[0], 400)
    assert.equal((await post({ authorization: 'Bearer x' }, { organizationId }))[0], 401)
    const wrong = await open('ada', { documentIds: Array.from({ length: 31 }, (_, nth) => `d${nth}`), more: 1 })
    assert.match(wrong.refusal, /documentIds.*more|more.*documentIds/s)
    const elsewhere = await open('ada', {}, { origin: 'https://elsewhere.example' })
    assert.match(elsewhere.refusal, /origin_not_allowed/)
    await key.call(addDomains, { domains: ['elsewhere.example'] })
    const allowed = await open('ada', {}, { origin: 'https://elsewhere.example' })
    assert.equal(allowed.headers.get('access-control-allow-origin'), 'https://elsewhere.example')
    assert.match(allowed.headers.get('content-type') ?? '', /^text\/event-stream/)
  })

  it('is refused above the streams that one user may have', async () => {
    const { open } = await newWorld()
    const pages = await Promise.all(Array.from({ length: 25 }, () => open('ada')))
    assert.equal(pages.filter(({ http }) => http === 200).length, 20, 'also when they are opened at the same time')
    assert.match((await open('ada')).refusal, /rate_limited/)
    assert.equal((await open('bob')).http, 200)
  })
})

it('an event is one line for readers to whom line separators end lines, too', async () => {
  const { key, open } = await newWorld()
  const page = await open('ada')
  const commentText = 'one\u2028two\u2029three\u0085four'
  await addThread(key, { comments: [comment('bob', { commentText })] })
  const [{ thread }] = await page.received('thread')
  assert.equal(thread.comments[0].commentText, commentText)
  assert.doesNotMatch(page.text, /[\u0085\u2028\u2029]/)
})

it('a page that does not read is disconnected, and nothing more is buffered for it', async () => {
  const { key } = await newWorld()
  const { token } = await key.call(generateToken, { userId: 'ada' })
  const { hostname, port } = new URL(server.url)
  const socket = connect({ host: hostname, port: Number(port) })
  cleanUp(() => socket.destroy())
  const body = JSON.stringify({ data: { organizationId, documentIds: ['roadmap'] } })
  const head = `POST /v2/live HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\n`
  socket.write(`${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
  await once(socket, 'readable')
  const large = { commentData: [comment('bob', { commentHtml: 'x'.repeat(60_000) })] }
  for (let call = 0; call < 3; call++)
    await key.call(addThreads, { ...ON_ROADMAP, commentAnnotations: Array.from({ length: 100 }, () => large) })
  const isCut = new Promise((resolve) => socket.once('close', resolve))
  socket.on('error', () => {})
  await new Promise((resolve) => setTimeout(resolve, 1_000)) // the server writes meanwhile
  socket.resume()
  await isCut
})

it('a server that stops ends its streams, and pages resume on another one', async () => {
  const stopping = await startServer()
  const { open } = await newWorld(stopping)
  const page = await open('ada')
  await stopping.stop()
  assert.deepEqual(await page.received('end'), [{ reason: 'stopping' }])
})

describe('a change that concerns many streams', () => {
  it('is sent in parts, so that the server does other work in between', async () => {
    const recorded = recordStatements()
    const own = await startServer({}, recorded.through)
    const world = await newWorld(own)
    const commentAnnotations = Array.from({ length: 40 }, (_, nth) => ({
      annotationId: `t${nth}`,
      commentData: [comment('ada')],
    }))
    await world.key.call(addThreads, { ...ON_ROADMAP, commentAnnotations })
    const pages = await Promise.all(Array.from({ length: 20 }, () => world.open('bob')))
    await world.key.call(updateThreads, { ...ON_ROADMAP, updatedData: { context: { of: 'all' } } })
    for (const page of pages) await page.received('thread', commentAnnotations.length)
    const given = recorded.given('threads.decide-readers')
    assert.ok(given.length >= 2 && Math.max(...given) <= 500, `decided together: ${given}`)
  })
})
