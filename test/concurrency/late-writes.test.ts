/**
 * Writes of users that wait while their user token is revoked or the user is erased: they are refused, and leave nothing
 * behind (rules/data.md#writers-and-erasures).
 */
import assert from 'node:assert/strict'
import { it, vi } from 'vitest'
import { updateSharing } from '#contract/access/sharing-changes.ts'
import { addComments, deleteComments, updateComments } from '#contract/comments/comments.ts'
import { readThreads } from '#contract/comments/seen.ts'
import { setSubscriptions } from '#contract/comments/subscriptions.ts'
import { addThreads, deleteThreads, updateThreads } from '#contract/comments/threads.ts'
import { writes } from '#contract/core/operation.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { addNotification, updateNotifications } from '#contract/notifications/notifications.ts'
import { setNotificationPreferences } from '#contract/notifications/preferences.ts'
import { OPERATIONS } from '#contract/operations.ts'
import { deleteUserData, getUserDataDeletion } from '#contract/users/user-data.ts'
import { revokeTokens } from '#contract/users/user-tokens.ts'
import { addUsers } from '#contract/users/users.ts'
import { GET_SUBSCRIPTION } from '#features/mail/comments/subscription.ts'
import { databasesOf } from '#testing/buckets.ts'
import type { Client } from '#testing/client.ts'
import { until } from '#testing/eventually.ts'
import { type LateRequest, requestWithLateBody } from '#testing/late-body.ts'
import { header, MAIL_FROM, newMailWorld } from '#testing/mail-world.ts'
import { ENGINE, startServer } from '#testing/server.ts'
import { startMailServer } from '#testing/stand-ins/mail-server.ts'
import { addThread, asUser, comment, newKeyWithDocuments, ON_ROADMAP, organizationId } from '#testing/threads.ts'
import { apiKeyOf } from '../conformance/support/callers.ts'
import { refused } from '../conformance/support/refused.ts'
import { dumpEverything } from '../conformance/support/tables.ts'

const post = await startMailServer()
const server = await startServer({ SMTP_URL: post.url, MAIL_FROM })
const { db } = server

const IN_THREAD = { ...ON_ROADMAP, annotationId: 'open' }
const THREADS = { ...ON_ROADMAP, annotationIds: ['open'] }

/** A call of each operation that a user token may make and that changes something. */
const CALLS: Record<string, object> = {
  [addThreads.path]: { ...ON_ROADMAP, commentAnnotations: [{ commentData: [{ commentText: 'late' }] }] },
  [updateThreads.path]: { ...THREADS, updatedData: { priority: { id: 'P1', name: 'High' } } },
  [addComments.path]: { ...IN_THREAD, commentData: [{ commentText: 'late' }] },
  [updateComments.path]: { ...IN_THREAD, commentIds: [1], updatedData: { commentText: 'late' } },
  [deleteComments.path]: { ...IN_THREAD, commentIds: [1] },
  [readThreads.path]: THREADS,
  [setSubscriptions.path]: { ...THREADS, subscription: 'subscribed' },
  [updateNotifications.path]: { organizationId, notifications: [{ id: 'news', readByUserIds: [] }] },
  [setNotificationPreferences.path]: { organizationId, config: { inbox: 'ALL' } },
  [updateSharing.path]: { ...ON_ROADMAP, grants: [{ userId: 'bob', accessRole: 'editor' }] },
  [deleteThreads.path]: THREADS,
}

/** Locks the organizations of a key while `work` runs. */
const whileLocked = (key: Client, work: () => Promise<void>): Promise<void> =>
  db.transaction(async (session) => {
    await session.query('select from organizations where api_key_id = $1 for update', [apiKeyOf(key)])
    await work()
  })

/** Returns how many statements wait for a lock. */
async function countWaiting(): Promise<number> {
  const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
  return (await db.query(waiting)).rows.length
}

const isErased = async (key: Client, jobId: string) =>
  (await key.call(getUserDataDeletion, { jobId })).isDeleteCompleted

/** Returns a key with a user who may make all calls, and a thread of that user. */
async function newWorld(userId: string): Promise<Client> {
  const key = await newKeyWithDocuments(server)
  await key.call(updateKeyConfig, { userSharing: 'editors' })
  const users = [userId, 'bob'].map((one) => ({ userId: one, accessRole: 'editor' as const }))
  await key.call(addUsers, { organizationId, users })
  await addThread(key, { annotationId: 'open', commentData: [comment(userId, { commentId: 1 }), comment('bob')] })
  const texts = { displayHeadlineMessageTemplate: 'news', displayBodyMessage: 'news' }
  const about = { actionUser: { userId: 'bob' }, notifyUsers: [{ userId }] }
  await key.call(addNotification, { ...ON_ROADMAP, notificationId: 'news', ...about, ...texts })
  return key
}

it('each write with a user token is known here, and its call has an effect', async () => {
  const paths = OPERATIONS.filter((one) => one.userToken && writes(one)).map(({ path }) => path)
  assert.deepEqual(new Set(Object.keys(CALLS)), new Set(paths))
  const ada = await asUser(await newWorld('ada'), 'ada')
  for (const [path, data] of Object.entries(CALLS)) assert.equal((await ada.post(path, data)).http, 200, path)
})

it('a write is refused if its token is revoked while the call waits for a lock', {
  skip: ENGINE === 'embedded',
}, async () => {
  const key = await newWorld('ada')
  for (const [path, data] of Object.entries(CALLS))
    for (const once of [undefined, { 'idempotency-key': path }]) {
      const ada = await asUser(key, 'ada')
      let late: ReturnType<Client['post']> | undefined
      await whileLocked(key, async () => {
        late = ada.with({ ...ada.headers, ...once }).post(path, data)
        await until('the write waits', async () => (await countWaiting()) > 0)
        await key.call(revokeTokens, { userId: 'ada' })
      })
      refused((await late) ?? assert.fail(path), 'UNAUTHENTICATED')
    }
})

it('a write leaves nothing behind if its body arrives when the user has been erased', async () => {
  const key = await newWorld('late.writer')
  const { headers } = await asUser(key, 'late.writer')
  const late: LateRequest[] = []
  for (const [path, data] of Object.entries(CALLS))
    for (const once of [undefined, { 'idempotency-key': path }])
      late.push(await requestWithLateBody(server.url + path, { ...headers, ...once }, { data }))
  const { jobId } = await key.call(deleteUserData, { userIds: ['late.writer'] })
  await until('the erasure is completed', () => isErased(key, jobId))
  for (const { finish } of late) assert.equal(await finish(), 401)
  assert.doesNotMatch(JSON.stringify(await dumpEverything(db)), /late\.writer/)
  assert.deepEqual((await db.query('select from idempotency_keys where api_key_id = $1', [apiKeyOf(key)])).rows, [])
})

it('a link of a mail stores nothing if its user is erased before its transaction begins', async (t) => {
  const { acme, thread, mailTo } = await newMailWorld(server, post)
  const { key } = acme
  await thread()
  const url = /^<(.+)>$/.exec(header(await mailTo('bob'), 'list-unsubscribe') ?? '')?.[1] ?? assert.fail()
  const ofKey = databasesOf(db).at(-1) ?? db
  const run = ofKey.run.bind(ofKey)
  let found = 0
  const erasing = vi.spyOn(ofKey, 'run').mockImplementation(async (statement, values) => {
    const rows = await run(statement, values)
    if (statement.name !== GET_SUBSCRIPTION.name || found++ > 0) return rows
    const { jobId } = await key.call(deleteUserData, { userIds: ['bob'] })
    await until('the erasure is completed', () => isErased(key, jobId))
    return rows
  })
  t.onTestFinished(() => erasing.mockRestore())
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  assert.equal((await fetch(url, { method: 'POST', headers: form })).status, 404)
  assert.ok(found > 0)
  const preferences = `select from notification_preferences p join organizations using (organization_key)
                        where api_key_id = $1 and p.user_id = 'bob'`
  assert.deepEqual((await db.query(preferences, [apiKeyOf(key)])).rows, [])
})
