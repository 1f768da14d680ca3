/**
 * Comments, reads and notifications run concurrently with everything that moves or closes their document: new ids,
 * folders, names, access, disabled users, and imports. No acknowledged change is lost, duplicated or stored in the
 * wrong place, and nobody sees anything without access to the document.
 */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { it } from 'vitest'
import { addPermissions, removePermissions } from '#contract/access/permissions.ts'
import { listCommentData, setCommentData } from '#contract/comments/comment-data.ts'
import { addComments, updateComments } from '#contract/comments/comments.ts'
import { countThreads, readThreads } from '#contract/comments/seen.ts'
import { setSubscriptions } from '#contract/comments/subscriptions.ts'
import { addThreads, getThreads, updateThreads } from '#contract/comments/threads.ts'
import { updateNotificationConfig } from '#contract/keys/notification-config.ts'
import { getNotifications, updateNotifications } from '#contract/notifications/notifications.ts'
import { setNotificationPreferences } from '#contract/notifications/preferences.ts'
import { addDocuments, moveDocuments, updateDocuments } from '#contract/resources/documents.ts'
import { updateFolders } from '#contract/resources/folders.ts'
import { runSearch } from '#contract/resources/search.ts'
import { disableUsers } from '#contract/users/disabled-users.ts'
import { newAcme, organizationId } from '#testing/acme.ts'
import { completeMigration } from '#testing/jobs.ts'
import { FULL } from '#testing/run/mode.ts'
import { sharedServer } from '#testing/server.ts'
import { asUser } from '#testing/threads.ts'
import { apiKeyOf } from '../conformance/support/callers.ts'

const server = await sharedServer()
const MIGRATIONS = FULL ? 60 : 8
const THREADS = ['t0', 't1', 't2']
const below = (limit: number): number => Math.floor(Math.random() * limit)

/** The document has moved meanwhile, or is about to. */
const MOVED = new Set(['document_does_not_exist', 'thread_does_not_exist'])

it('are each stored once with their event and notification, wherever the document went, and only for those who may see it', async () => {
  const acme = await newAcme(server)
  const { key } = acme
  await key.call(updateNotificationConfig, { useNotificationService: true })
  await acme.addTree({ f: 'root', g: 'root', h: 'g' })
  let documentId = 'd0'
  await acme.addDocuments('f', { documentId, accessType: 'restricted' })
  await acme.grant('document', documentId, 'bob')
  await acme.grant('organization', organizationId, 'bob', 'kim')
  const root = (annotationId: string) => ({
    annotationId,
    commentData: [{ commentId: 1, from: { userId: 'ada' }, commentText: `root ${annotationId}` }],
    ...(annotationId === 't2' && { visibility: { type: 'restricted', userIds: ['eve'] } }),
  })
  await acme.call(addThreads, { documentId, commentAnnotations: THREADS.map(root) })
  const [bob, kim] = [await asUser(key, 'bob'), await asUser(key, 'kim')]

  const acknowledged = new Map<string, boolean>()
  let isOver = false
  let [serial, written] = [0, 0]
  /** Makes calls about the document under its present name; the only allowed refusal is that it has moved. */
  async function about(operation: { path: string }, data: object, client = key): Promise<boolean> {
    const answer = await client.post(operation.path, { organizationId, documentId, ...data })
    if (answer.http !== 200)
      assert.ok(MOVED.has(answer.body.error.reason), `${operation.path}: ${answer.http} ${answer.text}`)
    return answer.http === 200
  }
  const until = (work: () => Promise<unknown>) => async () => {
    while (!isOver) await work()
  }
  const write = until(async () => {
    const [text, isThread] = [`comment ${serial++}`, below(4) === 0]
    const commentData = [{ from: { userId: 'ada' }, commentText: text, triggerNotification: true }]
    acknowledged.set(text, false)
    const annotationId = THREADS[below(THREADS.length)]
    const isWritten = isThread
      ? await about(addThreads, { commentAnnotations: [{ commentData }] })
      : await about(addComments, { annotationId, commentData })
    acknowledged.set(text, isWritten)
    if (isWritten) written++
  })
  const read = until(async () => {
    await about(readThreads, { annotationIds: ['t0'], userId: 'bob' })
    const subscription = below(2) === 0 ? 'subscribed' : 'unsubscribed'
    await about(setSubscriptions, { annotationIds: ['t1'], userId: 'bob', subscription })
    await about(updateThreads, { annotationIds: ['t0'], updatedData: { context: { nth: serial } } })
    await about(updateComments, { annotationId: 't0', commentIds: [1], updatedData: { commentText: `root ${serial}` } })
    const inbox = await key.call(getNotifications, { organizationId, userId: 'bob', pageSize: 5 })
    const notifications = inbox.map(({ id }) => ({ id, readByUserIds: ['bob'], persistReadForUsers: true }))
    if (notifications.length > 0) await key.call(updateNotifications, { organizationId, notifications })
    await about(setNotificationPreferences, {
      documentIds: [documentId],
      documentId: undefined,
      userIds: ['bob'],
      config: { inbox: 'ALL' },
    })
  })
  const close = until(async () => {
    const resources = [{ type: 'document' as const, id: documentId, organizationId }]
    await key.post(removePermissions.path, { userId: 'bob', permissions: { resources } })
    await key.post(addPermissions.path, { user: { userId: 'bob' }, permissions: { resources } })
    await key.call(disableUsers, { userIds: ['ada'], disabled: true })
    await key.call(disableUsers, { userIds: ['ada'], disabled: false })
  })
  const move = until(async () => {
    await about(moveDocuments, {
      documentIds: [documentId],
      documentId: undefined,
      folderId: ['f', 'g', 'h'][below(3)],
    })
    await about(updateDocuments, { documents: [{ documentId, documentName: `Name ${serial}` }], documentId: undefined })
    await acme.post(updateFolders, { folders: [{ folderId: 'h', parentFolderId: below(2) === 0 ? 'g' : 'f' }] })
  })
  const copy = until(async () => {
    const { threads, comments, threadUsers } = await key.call(listCommentData, { organizationId, kind: 'threads' })
    const stored = {
      ...(threads?.length && { threads }),
      ...(comments?.length && { comments }),
      ...(threadUsers?.length && { threadUsers }),
    }
    if (Object.keys(stored).length > 0) await acme.post(setCommentData, stored)
  })
  /** Kim is a member, and has no access to the document under any of its ids; Bob never sees the private thread. */
  const look = until(async () => {
    const ofKim = await kim.post(getThreads.path, { organizationId, documentId })
    assert.equal(ofKim.body.error?.reason, 'document_does_not_exist', ofKim.text)
    const inbox = await key.call(getNotifications, { organizationId, userId: 'kim' })
    assert.deepEqual(inbox, [])
    const counted = await key.call(countThreads, { organizationId, documentIds: [documentId], userId: 'bob' })
    assert.ok(counted)
    const found = await kim.post(runSearch.path, { organizationId, query: 'comment', kinds: ['thread'] })
    assert.deepEqual(found.body.result?.data, [], found.text)
    const ofBob = await bob.post(getThreads.path, { organizationId, documentId })
    if (ofBob.http === 200)
      assert.ok(!ofBob.body.result.data.some((one: { annotationId: string }) => one.annotationId === 't2'))
    const own = await key.call(getNotifications, { organizationId, userId: 'bob' })
    assert.ok(own.every(({ targetAnnotationId }) => targetAnnotationId !== 't2'))
  })
  async function migrate(): Promise<void> {
    for (let nth = 1; nth <= MIGRATIONS; nth++) {
      const newDocumentId = `d${nth}`
      // The document takes over threads that already exist on the new id.
      if (nth % 2 === 0) await acme.grant('document', newDocumentId, 'bob')
      await completeMigration(key, { organizationId, documentId, newDocumentId })
      documentId = newDocumentId
      // The earlier id belongs to another document from now on.
      if (nth % 3 === 0) await key.call(addDocuments, { organizationId, documents: [{ documentId: `d${nth - 2}` }] })
      const writtenBefore = written
      while (!isOver && written < writtenBefore + 3) await sleep(below(10))
    }
    isOver = true
  }
  await Promise.all(
    [write(), write(), read(), close(), move(), copy(), look(), migrate()].map((one) =>
      one.catch((error) => {
        isOver = true
        throw error
      }),
    ),
  )

  const { rows } = await server.db.query(
    `select c.content ->> 'commentText' as text, d.id as document, count(*) over (partition by c.content ->> 'commentText')::int as copies,
            (select count(*)::int from events e where e.stream = c.organization_key and e.type in ('comment.added', 'thread.added')
                and (e.after ->> 'annotationId', e.after ->> 'commentId') = (c.annotation_id, c.comment_id::text)) as events,
            (select count(*)::int from notifications n where n.organization_key = c.organization_key and n.resource_key = c.resource_key
                and n.target_annotation_id = c.annotation_id and n.target_comment_id = c.comment_id) as notifications
       from thread_comments c join organizations o using (organization_key)
       join resources d on d.organization_key = c.organization_key and d.resource_key = c.resource_key
      where o.api_key_id = $1 and c.content ->> 'commentText' like 'comment %'`,
    [apiKeyOf(key)],
  )
  const stored = new Map((rows as { text: string }[]).map(({ text, ...found }) => [text, found]))
  const once = { document: documentId, copies: 1, events: 1, notifications: 1 }
  for (const [text, isAcknowledged] of acknowledged)
    assert.deepEqual(stored.get(text), isAcknowledged ? once : undefined, text)
  assert.equal(stored.size, [...acknowledged.values()].filter(Boolean).length)
  await acme.assertStructure()
})
