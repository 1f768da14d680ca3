/**
 * Races of comments: several coalescers on one database, as in several processes, that write in few threads; readers of inboxes
 * beside revocations; and additions beside deletions and erasures.
 */
import assert from 'node:assert/strict'
import { setImmediate as tick } from 'node:timers/promises'
import { describe, it } from 'vitest'
import { addPermissions, removePermissions } from '#contract/access/permissions.ts'
import { addComments, deleteComments } from '#contract/comments/comments.ts'
import { addThreads, deleteThreads } from '#contract/comments/threads.ts'
import type { Operation } from '#contract/core/operation.ts'
import { updateNotificationConfig } from '#contract/keys/notification-config.ts'
import { getNotifications } from '#contract/notifications/notifications.ts'
import { addDocuments, deleteDocuments } from '#contract/resources/documents.ts'
import { deleteOrganizations } from '#contract/resources/organizations.ts'
import { createAddComments } from '#features/comments/comments/add.ts'
import { createAddThreads } from '#features/comments/threads/add.ts'
import { ADD_THREADS } from '#features/comments/threads/add-statements.ts'
import { createDocuments } from '#features/resources/documents/operations.ts'
import { ADD_DOCUMENTS } from '#features/resources/documents/statements.ts'
import type { Kernel } from '#kernel'
import { createPageTokens } from '#platform/secrets/page-token.ts'
import type { StatusError } from '#platform/status-error.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import { LOCK_KNOWN, LOCK_ORGANIZATION } from '#tenancy/writes/organization.ts'
import { newAcme, organizationId } from '#testing/acme.ts'
import { completeErasure } from '#testing/jobs.ts'
import { MASTER_KEY, sharedServer } from '#testing/server.ts'
import { assertStructure } from '../matrix/structure.ts'
import { createCaller } from './serial-world.ts'

const server = await sharedServer()
const { db, config } = server
const WRITERS = 3
const CALLS = 60
const THREADS = ['t0', 't1']
const where = { organizationId, documentId: 'd' }

const below = (limit: number): number => Math.floor(Math.random() * limit)

describe('comments from several processes', () => {
  it.for([
    ['with', true],
    ['without', false],
  ] as const)(
    '%s triggers, are each added once to the thread, and a number only once',
    async ([, triggerNotification]) => {
      const caller = await createCaller(db)
      await createDocuments({ db, pageTokens: createPageTokens(MASTER_KEY) }).add(caller, {
        organizationId,
        createOrganization: true,
        documents: [{ documentId: 'd' }],
      })
      const kernel = { db, config } as Kernel
      const writers = Array.from({ length: WRITERS }, () => createAddComments(kernel))
      const root = { from: { userId: 'ada' }, commentText: 'the first' }
      const commentAnnotations = THREADS.map((annotationId) => ({ annotationId, commentData: [root] }))
      await createAddThreads(kernel).add(caller, { ...where, commentAnnotations })
      const numbers: string[] = []
      const refused: unknown[] = []
      const call = async (nth: number) => {
        // Callers choose numbers from a small range, so that some exist already.
        const own = nth % 3 === 0 ? { commentId: 1 + below(20) } : {}
        const annotationId = THREADS[below(THREADS.length)] ?? ''
        const comment = () => ({ from: { userId: `u${below(5)}` }, commentText: 'x', triggerNotification })
        const commentData = [{ ...comment(), ...own }, comment()]
        try {
          const added = await writers[nth % WRITERS]?.add(caller, { ...where, annotationId, commentData })
          numbers.push(...(added ?? []).map((commentId) => `${annotationId}/${commentId}`))
        } catch (error) {
          refused.push(error)
        }
      }
      const calls: Promise<void>[] = []
      for (let nth = 0; nth < CALLS; nth++) {
        calls.push(call(nth))
        if (nth % 5 === 0) await tick()
      }
      await Promise.all(calls)
      for (const error of refused) assert.equal((error as StatusError).reason, 'comment_exists', String(error))
      const key = organizationKey(caller, organizationId)
      const { rows } = await db.query(
        `select c.annotation_id || '/' || c.comment_id as number,
              (select count(*)::int from events e where e.stream = c.organization_key and e.type = 'comment.added'
                  and (e.after ->> 'annotationId', e.after ->> 'commentId') = (c.annotation_id, c.comment_id::text)) as events
         from thread_comments c where c.organization_key = $1 and c.content ->> 'commentText' = 'x' order by 1`,
        [key],
      )
      assert.deepEqual(
        rows,
        numbers.sort().map((number) => ({ number, events: 1 })),
      )
      await assertStructure(db, [key])
    },
  )
})

describe('a statement that is sent together with its lock', () => {
  const newRow = (caller: Awaited<ReturnType<typeof createCaller>>) => ({
    ...{
      req: 0,
      isLocked: false,
      createOrganization: false,
      organizationId,
      apiKeyId: caller.apiKeyId,
      actor: caller.actor,
    },
    ...{ organizationKey: organizationKey(caller, organizationId), documentId: 'd', annotationId: 't' },
    ...{ createdAt: null, lastUpdated: null, users: '[]', mentioned: '[]', bytes: 9 },
    content: '{"from": {"userId": "u"}, "status": {"id": "OPEN", "type": "default"}, "visibility": {"type": "public"}}',
    comments: '[{"commentId": 1, "bytes": 9, "content": {"from": {"userId": "u"}}}]',
  })
  const addDocument = (caller: Awaited<ReturnType<typeof createCaller>>) =>
    createDocuments({ db, pageTokens: createPageTokens(MASTER_KEY) }).add(caller, {
      organizationId,
      createOrganization: true,
      documents: [{ documentId: 'd' }],
    })

  it('does not see an organization that was created after the lock was taken', async () => {
    const caller = await createCaller(db)
    const row = newRow(caller)
    const outcomes = await db.transaction(async (session) => {
      await session.runSet(LOCK_KNOWN, [row])
      await addDocument(caller)
      return session.runSet(ADD_THREADS, [row])
    })
    assert.deepEqual(
      outcomes.map(({ outcome }) => outcome),
      ['organization_does_not_exist'],
    )
    const [added] = await db.runInSuccession({ statement: LOCK_KNOWN, rows: [row] }, [
      { statement: ADD_THREADS, rows: [row] },
    ])
    assert.equal(added?.outcome, 'ok')
  })

  it('does not see such an organization when it adds documents, either', async () => {
    const caller = await createCaller(db)
    const row = {
      ...{ ...newRow(caller), documentId: 'new', name: null, metadata: {}, accessType: null, disabled: false },
      ...{ folderId: null, createFolder: false },
    }
    const outcomes = await db.transaction(async (session) => {
      await session.runSet(LOCK_KNOWN, [row])
      await addDocument(caller)
      return session.runSet(ADD_DOCUMENTS, [row])
    })
    assert.deepEqual(
      outcomes.map(({ outcome }) => outcome),
      ['organization_does_not_exist'],
    )
    await assert.rejects(db.runSet(ADD_DOCUMENTS, [row]), 'without the lock')
    const steps = [{ statement: ADD_DOCUMENTS, rows: [row] }]
    const [added] = await db.runInSuccession({ statement: LOCK_KNOWN, rows: [row] }, steps)
    assert.equal(added?.outcome, 'ok')
  })

  it('fails if the lock does not belong to its transaction', async () => {
    const caller = await createCaller(db)
    await addDocument(caller)
    const row = newRow(caller)
    const lock = { statement: LOCK_KNOWN, rows: [row] }
    const change = { statement: ADD_THREADS, rows: [row] }
    await assert.rejects(db.runInSuccession(lock, [change], { lockTimeoutMs: -2 }), /lock_timeout/)
    await assert.rejects(db.runSet(ADD_THREADS, [row]))
    const { rows } = await db.query('select from threads where organization_key = $1', [row.organizationKey])
    assert.equal(rows.length, 0)
  })
})

it('a transaction that cannot begin does nothing after its locks', async () => {
  const caller = await createCaller(db)
  let isReached = false
  const work = db.transaction(
    async (session) => {
      await session.run(LOCK_ORGANIZATION, [organizationKey(caller, organizationId)])
      isReached = true
    },
    { lockTimeoutMs: -2, locksFirst: true },
  )
  await assert.rejects(work, /lock_timeout/)
  assert.equal(isReached, false)
})

/** Ada starts a thread on a restricted document, which notifies Bob. */
async function withThread() {
  const acme = await newAcme(server)
  await acme.key.call(updateNotificationConfig, { useNotificationService: true })
  await acme.key.call(addDocuments, { organizationId, documents: [{ documentId: 'd', accessType: 'restricted' }] })
  await acme.grant('organization', organizationId, 'bob')
  await acme.grant('document', 'd', 'bob')
  const commentData = [{ from: { userId: 'ada' }, commentText: 'x', triggerNotification: true }]
  await acme.key.call(addThreads, { ...where, commentAnnotations: [{ annotationId: 't', commentData }] })
  return acme
}

describe('an inbox that is read while access is revoked', () => {
  it('has nothing of the document once the revocation has returned', async () => {
    const acme = await withThread()
    const ofBob = { type: 'document' as const, id: 'd', organizationId }
    for (let round = 0; round < 20; round++) {
      let isRevoked = false
      const read = async () => {
        const wasRevoked = isRevoked
        const { length } = await acme.call(getNotifications, { userId: 'bob' })
        assert.ok(length === 0 || !wasRevoked, `round ${round}: the inbox has what was revoked before it was asked for`)
        return length
      }
      assert.equal(await read(), 1)
      const reads = Array.from({ length: 5 }, read)
      const revoked = acme.key
        .call(removePermissions, { userId: 'bob', permissions: { resources: [ofBob] } })
        .then(() => {
          isRevoked = true
          return read()
        })
      await Promise.all([...reads, revoked])
      await acme.key.call(addPermissions, { user: { userId: 'bob' }, permissions: { resources: [ofBob] } })
    }
  })
})

describe('comments that are added while something is deleted', () => {
  // biome-ignore lint/suspicious/noExplicitAny: operations of whatever schemas
  it.for<[what: string, operation: Operation<any, any>, data: object, left: string]>([
    ['their thread', deleteThreads, { ...where, annotationIds: ['t'] }, 'thread_does_not_exist'],
    ['all comments of it', deleteComments, { ...where, annotationId: 't' }, 'thread_does_not_exist'],
    ['the document', deleteDocuments, { organizationId, documentIds: ['d'] }, 'document_does_not_exist'],
    ['the organization', deleteOrganizations, { organizationIds: [organizationId] }, 'organization_does_not_exist'],
  ])('%s, are in it or refused, and nothing is left', async ([, operation, data, left]) => {
    const acme = await withThread()
    const comment = { from: { userId: 'bob' }, commentText: 'x', triggerNotification: true }
    let isDeleted = false
    const add = async () => {
      const wasDeleted = isDeleted
      const answer = await acme.post(addComments, { ...where, annotationId: 't', commentData: [comment] })
      if (answer.http === 200) assert.ok(!wasDeleted, 'a comment was added to what was deleted before')
      else assert.equal(answer.body.error.reason, left)
    }
    const adders = Array.from({ length: 4 }, async () => {
      for (let nth = 0; nth < 5; nth++) await add()
    })
    const deletion = acme.key.call(operation, data).then(() => {
      isDeleted = true
    })
    await Promise.all([...adders, deletion])
    await add()
    const key = organizationKey({ apiKeyId: acme.key.headers['x-service-api-key'] as never }, organizationId)
    // No comments can have been added after all were deleted, because their thread was deleted with the last one.
    const { rows } = await db.query(
      `select (select count(*) from thread_comments where organization_key = $1)::int as comments,
              (select count(*) from notifications where organization_key = $1)::int as notifications`,
      [key],
    )
    assert.deepEqual(rows, [{ comments: 0, notifications: 0 }])
    if (left !== 'organization_does_not_exist') await acme.assertStructure()
  })

  it('a user, are erased or refused', async () => {
    const acme = await withThread()
    const commentData = [{ from: { userId: 'bob' }, commentText: 'x', triggerNotification: true }]
    const add = () => acme.post(addComments, { ...where, annotationId: 't', commentData })
    const erase = () => completeErasure(acme.key, { userIds: ['bob'] })
    let isErased = false
    const adders = Array.from({ length: 4 }, async () => {
      while (!isErased) {
        const answer = await add()
        assert.ok(answer.http === 200 || answer.body.error.reason === 'user_being_erased', answer.text)
      }
    })
    const erasure = erase().then(() => {
      isErased = true
    })
    await Promise.all([...adders, erasure])
    await acme.assertStructure()
    await erase()
    const { rows } = await db.query(
      `select count(*)::int as left_over from thread_users u join organizations o using (organization_key)
        where o.api_key_id = $1 and u.user_id = 'bob'`,
      [acme.key.headers['x-service-api-key']],
    )
    assert.deepEqual(rows, [{ left_over: 0 }])
    await acme.assertStructure()
  })
})
