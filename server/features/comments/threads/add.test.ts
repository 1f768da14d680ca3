/** `commentannotations/add`: stored fields, refusals, and the effect of a partial failure. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { addPermissions } from '#contract/access/permissions.ts'
import { addThreads, getThreads, updateThreads } from '#contract/comments/threads.ts'
import { LIMITS } from '#contract/core/limits.ts'
import { addDocuments, deleteDocuments, getDocuments } from '#contract/resources/documents.ts'
import { deleteFolder } from '#contract/resources/folders.ts'
import { deleteOrganizations } from '#contract/resources/organizations.ts'
import { setProfiles } from '#contract/users/profiles.ts'
import { completeMigration } from '#testing/jobs.ts'
import { sharedServer } from '#testing/server.ts'
import { addThread, comment, newKeyWithDocuments, ON_ROADMAP, organizationId, readThread } from '#testing/threads.ts'
import { refused, refusedField } from '../../../../test/conformance/support/refused.ts'

const server = await sharedServer()
const STATUS = {
  id: 'DONE',
  name: 'Done',
  type: 'terminal',
  color: '#0f0',
  lightColor: '#efe',
  iconUrl: 'https://x.y/i',
}
const PRIVATE_SELF = '__service_private_self'

describe('a new thread', () => {
  it('has the defaults: type comment, status OPEN, public, sourceType rest-api, times now', async () => {
    const key = await newKeyWithDocuments(server)
    const thread = await readThread(key, await addThread(key))
    assert.equal(thread.type, 'comment')
    assert.deepEqual(
      { ...thread.status, svg: '' },
      {
        id: 'OPEN',
        name: 'Open',
        type: 'default',
        color: '#625DF5',
        lightColor: '#E7E8FA',
        svg: '',
      },
    )
    assert.deepEqual(thread.visibilityConfig, { type: 'public' })
    assert.equal(thread.sourceType, 'rest-api')
    assert.equal(thread.createdAt, thread.lastUpdated)
    assert.ok(Number.isSafeInteger(thread.createdAt))
    assert.equal(thread.context, undefined)
  })

  it('gets an id of 20 characters, and its comments numbers of six digits', async () => {
    const key = await newKeyWithDocuments(server)
    const commentData = [comment('ada'), comment('bob'), comment('ada')]
    const added = await key.call(addThreads, { ...ON_ROADMAP, commentAnnotations: [{ commentData }] })
    const [[name, result] = []] = Object.entries(added)
    assert.match(name ?? '', /^-[-\w]{19}$/)
    assert.equal(result?.annotationId, name)
    assert.equal(result?.success, true)
    assert.equal(new Set(result?.commentIds).size, 3)
    for (const id of result?.commentIds ?? []) assert.ok(id >= 100_000 && id <= 999_999)
  })

  it('keeps the ids that the caller chose', async () => {
    const key = await newKeyWithDocuments(server)
    const data = { annotationId: 'mine', commentData: [comment('ada', { commentId: 7 }), comment('bob')] }
    const added = await key.call(addThreads, { ...ON_ROADMAP, commentAnnotations: [data] })
    assert.deepEqual(Object.keys(added), ['mine'])
    assert.equal(added.mine?.commentIds[0], 7)
    assert.equal((await readThread(key, 'mine')).comments[0]?.commentId, 7)
  })

  it('has a result under an id that is the name of an inherited object property', async () => {
    const key = await newKeyWithDocuments(server)
    const names = ['__proto__', 'constructor', 'toString']
    const commentAnnotations = names.map((annotationId) => ({ annotationId, commentData: [comment('ada')] }))
    const added = await key.call(addThreads, { ...ON_ROADMAP, commentAnnotations })
    assert.deepEqual(
      Object.entries(added).map(([id, { annotationId }]) => [id, annotationId]),
      names.map((id) => [id, id]),
    )
    const error = refused(await key.post(addThreads.path, { ...ON_ROADMAP, commentAnnotations }), 'ALREADY_EXISTS')
    assert.deepEqual(Object.keys(error.details), names)
  })

  it('keeps everything that the caller stores in it', async () => {
    const key = await newKeyWithDocuments(server)
    const stored = {
      location: { id: 'section-2', locationName: 'Section 2', page: 4 },
      targetElement: { elementId: 'p1', targetText: 'price', occurrence: 2 },
      status: STATUS,
      assignedTo: { userId: 'bob', name: 'Bob' },
      priority: { id: 'P1', name: 'High', color: '#f00', lightColor: '#fee' },
      actions: [{ id: 'go', label: 'Go', metadata: [1, null] }],
      pageInfo: {
        ...{ url: 'https://app.example.com/roadmap', title: 'Roadmap', queryParams: { a: '1' } },
        commentUrl: 'https://app.example.com/roadmap?thread=1',
      },
      commentType: 'chart',
      isPageAnnotation: true,
      positionX: 12.5,
      positionY: -3,
      screenWidth: 1280,
    } as const
    const times = { createdAt: 1_700_000_000_000, lastUpdated: 1_700_000_001_000 }
    const annotationId = await addThread(key, { ...stored, ...times } as never)
    const thread = await readThread(key, annotationId)
    for (const [name, value] of Object.entries({ ...stored, ...times }))
      assert.deepEqual(thread[name as keyof typeof thread], value, name)
    assert.ok(Number.isSafeInteger(thread.locationId))
  })

  it('keeps everything that the caller stores in a comment, in the form of reads', async () => {
    const key = await newKeyWithDocuments(server)
    const stored = {
      commentId: 100_001,
      commentText: 'See {{bob}}',
      commentHtml: '<b>See</b> {{bob}}',
      from: { userId: 'ada', name: 'Ada', team: 'design' },
      createdAt: 1_700_000_000_000,
      taggedUserContacts: [{ userId: 'bob', contact: { userId: 'bob', name: 'Bob' }, text: '@Bob' }],
      attachments: [{ attachmentId: 1, name: 'a.png', size: 12, url: 'https://files.example.com/a.png' }],
      context: { sheet: 'A1' },
      progress: { state: 'active', steps: [{ label: 'read', state: 'completed' }] },
      actions: [{ id: 'retry', hidden: true }],
      isCommentTextAvailable: true,
    } as const
    const annotationId = await addThread(key, { commentData: [stored] } as never)
    const [first] = (await readThread(key, annotationId)).comments
    assert.deepEqual(first as unknown, {
      ...stored,
      type: 'text',
      status: 'added',
      isDraft: false,
      lastUpdated: new Date(stored.createdAt).toISOString(),
      to: [{ userId: 'bob', name: 'Bob' }],
      reactionAnnotationIds: [],
      recorders: [],
      toOrganizationUserGroup: [],
      customList: [],
    })
  })

  it('takes its comments under the name `comments` too, but needs one of the two', async () => {
    const key = await newKeyWithDocuments(server)
    const added = await addThread(key, { comments: [comment('ada'), comment('bob')] })
    assert.equal((await readThread(key, added)).comments.length, 2)
    const none = await key.post(addThreads.path, { ...ON_ROADMAP, commentAnnotations: [{}] })
    refusedField(none, 'commentAnnotations[0].commentData', 'commentAnnotations[0].commentData is required')
    const both = { commentData: [comment('ada')], comments: [comment('ada')] }
    const two = await key.post(addThreads.path, { ...ON_ROADMAP, commentAnnotations: [both] })
    refusedField(two, 'commentAnnotations[0].comments')
  })

  it('is followed by its authors and every mentioned user, automatically, keyed by the MD5 of the user id', async () => {
    const key = await newKeyWithDocuments(server)
    const taggedUserContacts = [{ userId: 'bob', contact: { userId: 'bob' } }]
    const annotationId = await addThread(key, { commentData: [comment('ada', { taggedUserContacts }), comment('eve')] })
    const { subscribedUsers, unsubscribedUsers, mentionedUserIds, involvedUserIds, comments } = await readThread(
      key,
      annotationId,
    )
    assert.deepEqual(subscribedUsers, {
      '8c8d357b5e872bbacd45197626bd5759': { user: { userId: 'ada' }, type: 'auto' },
      '9f9d51bc70ef21ca5c14f307980a29d8': { user: { userId: 'bob' }, type: 'auto' },
      fa6a91ef9baa242de0b354a212e8cf82: { user: { userId: 'eve' }, type: 'auto' },
    })
    assert.deepEqual(unsubscribedUsers, {})
    assert.deepEqual(mentionedUserIds, ['bob'])
    assert.deepEqual(involvedUserIds, ['ada', 'eve', 'bob'])
    assert.deepEqual(comments[0]?.to, [{ userId: 'bob' }])
  })

  it('shows people as their profiles know them, and others as they were given', async () => {
    const key = await newKeyWithDocuments(server)
    const from = { userId: 'ada', name: 'Old', email: 'old@example.com', desk: 4 }
    const annotationId = await addThread(key, { commentData: [comment('ada', { from })] })
    assert.deepEqual((await readThread(key, annotationId)).from, from)
    await key.call(setProfiles, { users: [{ userId: 'ada', name: 'Ada', photoUrl: 'https://x.y/ada.png' }] })
    const { from: author, comments } = await readThread(key, annotationId)
    assert.deepEqual(author, { ...from, name: 'Ada', photoUrl: 'https://x.y/ada.png' })
    assert.deepEqual(comments[0]?.from, author)
  })

  it('stores neither triggerNotification nor triggerActivities', async () => {
    const key = await newKeyWithDocuments(server)
    const asked = comment('ada', { triggerNotification: true, triggerActivities: true })
    const text = JSON.stringify(await readThread(key, await addThread(key, { commentData: [asked] })))
    assert.doesNotMatch(text, /trigger/)
  })
})

describe('visibility and context', () => {
  it('needs the organization, or the users, and always lists the author', async () => {
    const key = await newKeyWithDocuments(server)
    const visible = async (visibility: object) =>
      (await readThread(key, await addThread(key, { visibility } as never))).visibilityConfig
    assert.deepEqual(await visible({ type: 'restricted', userIds: ['bob'] }), {
      type: 'restricted',
      userIds: ['bob', 'ada'],
    })
    assert.deepEqual(await visible({ type: 'organizationPrivate', organizationId: 'acme', organizationIds: ['b'] }), {
      type: 'organizationPrivate',
      organizationId: 'acme',
      organizationIds: ['acme', 'b'],
      userIds: ['ada'],
    })
    const post = (visibility: object) =>
      key.post(addThreads.path, { ...ON_ROADMAP, commentAnnotations: [{ commentData: [comment('ada')], visibility }] })
    refusedField(await post({ type: 'organizationPrivate' }), 'commentAnnotations[0].visibility.organizationId')
    refusedField(await post({ type: 'restricted', userIds: [] }), 'commentAnnotations[0].visibility.userIds')
  })

  it('names no organizations for a type without: nobody sees more or fewer than the caller has named', async () => {
    const key = await newKeyWithDocuments(server)
    await addThread(key, { annotationId: 't' })
    for (const type of ['public', 'restricted'] as const) {
      const visibility = { type, organizationIds: ['acme'], ...(type === 'restricted' && { userIds: ['bob'] }) }
      const commentAnnotations = [{ commentData: [comment('ada')], visibility }]
      const added = await key.post(addThreads.path, { ...ON_ROADMAP, commentAnnotations })
      refusedField(added, 'commentAnnotations[0].visibility.organizationIds')
      const changed = await key.post(updateThreads.path, { ...ON_ROADMAP, updatedData: { visibility } })
      refusedField(changed, 'updatedData.visibility.organizationIds')
    }
    assert.deepEqual((await readThread(key, 't')).visibilityConfig, { type: 'public' })
  })

  it('ignores the other readers whom a type does not have', async () => {
    const key = await newKeyWithDocuments(server)
    const own = { organizationId: 'acme', userIds: ['bob'] }
    await addThread(key, { annotationId: 'everybody', visibility: { type: 'public', ...own } })
    await addThread(key, { annotationId: 'two', visibility: { type: 'restricted', ...own, organizationIds: [] } })
    assert.deepEqual((await readThread(key, 'everybody')).visibilityConfig, { type: 'public' })
    const { userIds, ...others } = (await readThread(key, 'two')).visibilityConfig
    assert.deepEqual([new Set(userIds), others], [new Set(['ada', 'bob']), { type: 'restricted' }])
  })

  it('lists what a reader needs in accessFields, of the context and of the visibility', async () => {
    const key = await newKeyWithDocuments(server)
    const annotationId = await addThread(key, {
      context: { access: { team: 'red', level: 3 }, sheet: 'A', accessFields: ['forged:1'] },
      visibility: { type: 'organizationPrivate', organizationId: 'acme' },
    })
    assert.deepEqual((await readThread(key, annotationId)).context as unknown, {
      sheet: 'A',
      access: { team: 'red', level: 3 },
      accessFields: ['team:red', 'level:3', 'organizationPrivate:acme', `${PRIVATE_SELF}:ada`],
    })
  })

  it('refuses a context with the names of visibilities, or with other values than texts and numbers', async () => {
    const key = await newKeyWithDocuments(server)
    for (const [access, field] of [
      [{ organizationPrivate: 'acme' }, '.organizationPrivate'],
      [{ [PRIVATE_SELF]: 'ada' }, `.${PRIVATE_SELF}`],
      [{ team: ['red'] }, ''],
      ['red', ''],
    ] as const) {
      const thread = { commentData: [comment('ada')], context: { access } }
      const answer = await key.post(addThreads.path, { ...ON_ROADMAP, commentAnnotations: [thread] })
      refusedField(answer, `commentAnnotations[0].context.access${field}`)
    }
  })
})

describe('agents and suggestions', () => {
  const agent = {
    agentSource: 'external',
    agentId: 'linter',
    agentName: 'Linter',
    reason: { title: 'Typo', description: 'A typo', severity: 'low', findingId: 'f-1', own: [1] },
  } as const

  it('make the thread of a root with an agent an agent thread; the result repeats its findingId', async () => {
    const key = await newKeyWithDocuments(server)
    const commentAnnotations = [{ annotationId: 'a', commentData: [comment('bot', { agent }), comment('ada')] }]
    const added = await key.call(addThreads, { ...ON_ROADMAP, commentAnnotations })
    assert.equal(added.a?.findingId, 'f-1')
    const thread = await readThread(key, 'a')
    const shown = { ...agent, agentType: 'external' }
    assert.deepEqual([thread.sourceType, thread.agent as unknown], ['agent', shown])
    const [root, reply] = thread.comments
    assert.deepEqual([root?.sourceType, root?.agent as unknown], ['agent', shown])
    assert.deepEqual([reply?.sourceType, reply?.agent], [undefined, undefined])
  })

  it('mark only the reply', async () => {
    const key = await newKeyWithDocuments(server)
    const thread = await readThread(
      key,
      await addThread(key, { commentData: [comment('ada'), comment('b', { agent })] }),
    )
    assert.equal(thread.sourceType, 'rest-api')
    assert.equal(thread.comments[1]?.sourceType, 'agent')
  })

  it('are refused: those of the service NOT_FOUND, without a name or with unknown words INVALID_ARGUMENT', async () => {
    const key = await newKeyWithDocuments(server)
    const post = (other: object) => {
      const commentData = [{ from: { userId: 'bot' }, agent: { ...agent, ...other } }]
      return key.post(addThreads.path, { ...ON_ROADMAP, commentAnnotations: [{ commentData }] })
    }
    const field = 'commentAnnotations[0].commentData[0].agent'
    assert.equal(refused(await post({ agentSource: 'service' }), 'NOT_FOUND').reason, 'agent_does_not_exist')
    refusedField(await post({ agentName: undefined }), `${field}.agentName`, `${field}.agentName is required`)
    refusedField(await post({ agentSource: 'other' }), `${field}.agentSource`)
    refusedField(await post({ reason: { ...agent.reason, severity: 'fatal' } }), `${field}.reason.severity`)
    refusedField(await post({ reason: { ...agent.reason, confidence: 101 } }), `${field}.reason.confidence`)
  })

  it('store a suggestion as sent, but pending at first, and none on other types', async () => {
    const key = await newKeyWithDocuments(server)
    const suggestion = { oldValue: null, newValue: { a: 1 }, summary: null, status: 'accepted', own: 'x' } as const
    const suggested = await readThread(key, await addThread(key, { type: 'suggestion', suggestion }))
    assert.deepEqual(suggested.suggestion, { ...suggestion, status: 'pending' })
    assert.equal((await readThread(key, await addThread(key, { suggestion }))).suggestion, undefined)
  })
})

describe('the document of a thread', () => {
  it('must exist, unless the call creates what is missing', async () => {
    const key = await newKeyWithDocuments(server)
    const commentAnnotations = [{ annotationId: 'a', commentData: [comment('ada')] }]
    const post = (fields: object) => key.post(addThreads.path, { ...ON_ROADMAP, commentAnnotations, ...fields })
    const unknown = refused(await post({ documentId: 'new' }), 'NOT_FOUND')
    assert.equal(unknown.reason, 'document_does_not_exist')
    const elsewhere = { organizationId: 'other', documentId: 'new' }
    assert.equal(refused(await post(elsewhere), 'NOT_FOUND').reason, 'organization_does_not_exist')
    assert.equal(
      refused(await post({ ...elsewhere, createDocument: true }), 'NOT_FOUND').reason,
      'organization_does_not_exist',
    )
    assert.equal((await post({ ...elsewhere, createOrganization: true, createDocument: true })).http, 200)
    const documents = await key.call(getDocuments, { organizationId: 'other' })
    assert.deepEqual(
      documents.map(({ id }) => id),
      ['new'],
    )
    assert.equal((await post({ createDocument: true })).http, 200)
  })

  it('takes its threads with it when it, its folder or its organization is deleted', async () => {
    const key = await server.newKey()
    const inFolder = { organizationId, createOrganization: true, folderId: 'f', createFolder: true }
    await key.call(addDocuments, { ...inFolder, documents: [{ documentId: 'roadmap' }, { documentId: 'plan' }] })
    await addThread(key, { annotationId: 'a' })
    await addThread(key, { annotationId: 'b' }, { documentId: 'plan' })
    await key.call(deleteDocuments, { organizationId, documentIds: ['roadmap'] })
    const left = async () => key.call(getThreads, { organizationId, annotationIds: ['a', 'b'] })
    assert.deepEqual(
      ((await left()) as ({ annotationId: string } | null)[]).map((one) => one?.annotationId),
      [undefined, 'b'],
    )
    await key.call(deleteFolder, { organizationId, folderId: 'f' })
    assert.deepEqual(await left(), [null, null])
    await key.call(addDocuments, { organizationId, documents: [{ documentId: 'roadmap' }] })
    await addThread(key, { annotationId: 'c' })
    await key.call(deleteOrganizations, { organizationIds: [organizationId] })
    await key.call(addDocuments, { organizationId, createOrganization: true, documents: [{ documentId: 'roadmap' }] })
    assert.deepEqual(await key.call(getThreads, { organizationId, documentId: 'roadmap' }), [])
  })

  it('keeps its threads when it is migrated to another id', async () => {
    const key = await newKeyWithDocuments(server)
    await addThread(key, { annotationId: 'a' })
    await completeMigration(key, { ...ON_ROADMAP, newDocumentId: 'road' })
    assert.equal((await readThread(key, 'a')).metadata.documentId, 'road')
    const old = { ...ON_ROADMAP, createDocument: true, commentAnnotations: [{ commentData: [comment('ada')] }] }
    const { reason, details } = refused(await key.post(addThreads.path, old), 'NOT_FOUND')
    assert.deepEqual([reason, details], ['document_does_not_exist', { migratedTo: 'road' }])
  })
})

describe('a call of which some threads fail', () => {
  const restricted = async () => {
    const key = await server.newKey()
    const documents = [{ documentId: 'roadmap', accessType: 'restricted' as const }]
    await key.call(addDocuments, { organizationId, createOrganization: true, documents })
    const resource = { type: 'document', id: 'roadmap', organizationId } as const
    await key.call(addPermissions, { user: { userId: 'ada' }, permissions: { resources: [resource] } })
    return key
  }
  const commentAnnotations = [
    { annotationId: 'a', commentData: [comment('ada')] },
    { annotationId: 'b', commentData: [comment('eve')] },
    { commentData: [comment('eve')] },
  ]
  const call = { ...ON_ROADMAP, verifyUserPermissions: true, commentAnnotations }

  it('is an error with the results in details; the allowed threads are written', async () => {
    const key = await restricted()
    const { reason, details } = refused(await key.post(addThreads.path, call), 'PERMISSION_DENIED')
    assert.equal(reason, 'no_access_to_document')
    assert.deepEqual(Object.keys(details), ['a', 'b', '__service_denied:2'])
    assert.deepEqual([details.a.success, details.a.annotationId], [true, 'a'])
    for (const name of ['b', '__service_denied:2']) assert.deepEqual(Object.keys(details[name]), ['success', 'message'])
    const found = await key.call(getThreads, { organizationId })
    assert.deepEqual(
      (found as { annotationId: string }[]).map((one) => one.annotationId),
      ['a'],
    )
  })

  it('returns the same for a repeat with its Idempotency-Key', async () => {
    const plain = await restricted()
    const key = plain.with({ ...plain.headers, 'idempotency-key': 'once' })
    const first = await key.post(addThreads.path, call)
    const again = await key.post(addThreads.path, call)
    assert.deepEqual([again.http, again.text], [403, first.text])
    assert.equal(again.headers.get('idempotent-replayed'), 'true')
    assert.equal(first.headers.get('idempotent-replayed'), null)
  })

  it('names an id that exists, and adds the others', async () => {
    const key = await newKeyWithDocuments(server)
    await addThread(key, { annotationId: 'a' })
    const answer = await key.post(addThreads.path, { ...ON_ROADMAP, commentAnnotations })
    const { reason, details } = refused(answer, 'ALREADY_EXISTS')
    assert.equal(reason, 'thread_exists')
    assert.deepEqual([details.a.success, details.b.success], [false, true])
  })

  it('verifies nobody without verifyUserPermissions: the call speaks for the key', async () => {
    const key = await restricted()
    assert.equal((await key.post(addThreads.path, { ...call, verifyUserPermissions: false })).http, 200)
  })
})

describe('bad input', () => {
  const post = async (thread: unknown, fields: object = {}) =>
    (await newKeyWithDocuments(server)).post(addThreads.path, {
      ...ON_ROADMAP,
      commentAnnotations: [thread],
      ...fields,
    })

  it('that is text stays text: markup, 64 KB of one line, mentions of unknown users, braces that are no mention', async () => {
    const key = await newKeyWithDocuments(server)
    const texts = {
      commentText: '{{nobody}} {{…}} {{}} }}{{ <script>alert(1)</script>',
      commentHtml: `<img src=x onerror=alert(1)>${'x'.repeat(60_000)}`,
    }
    const [first] = (await readThread(key, await addThread(key, { commentData: [comment('ada', texts)] }))).comments
    assert.deepEqual([first?.commentText, first?.commentHtml, first?.to], [texts.commentText, texts.commentHtml, []])
  })

  it('is refused with its field: too long, colons in ids, negative numbers, 101 threads, the same number twice', async () => {
    const html = 'x'.repeat(LIMITS.commentHtmlCharactersMax + 1)
    const data = 'commentAnnotations[0].commentData'
    refusedField(await post({ commentData: [comment('ada', { commentHtml: html })] }), `${data}[0].commentHtml`)
    refusedField(
      await post({ annotationId: 'a:b', commentData: [comment('ada')] }),
      'commentAnnotations[0].annotationId',
    )
    refusedField(await post({ commentData: [comment('ada', { commentId: -1 })] }), `${data}[0].commentId`)
    const twice = [comment('ada', { commentId: 1 }), comment('bob', { commentId: 1 })]
    refusedField(await post({ commentData: twice }), `${data}[1].commentId`)
    const many = Array.from({ length: 101 }, () => ({ commentData: [comment('ada')] }))
    refusedField(await post(null, { commentAnnotations: many }), 'commentAnnotations')
    const status = { id: 'X', name: 'X', type: 'default' }
    refusedField(await post({ commentData: [comment('ada')], status }), 'commentAnnotations[0].status.color')
    const priority = { id: 'P', name: 'P', color: '#f00' }
    refusedField(await post({ commentData: [comment('ada')], priority }), 'commentAnnotations[0].priority.lightColor')
    const large = {
      ...comment('ada'),
      context: Object.fromEntries(Array.from({ length: 201 }, (_, nth) => [`f${nth}`, 1])),
    }
    refusedField(await post({ commentData: [large] }), `${data}[0].context`)
    const contact = { userId: 'bob', note: 'x'.repeat(60_000) }
    const heavy = comment('ada', { taggedUserContacts: Array.from({ length: 10 }, () => ({ userId: 'bob', contact })) })
    refusedField(await post({ commentData: [heavy] }), `${data}[0]`)
  })
})
