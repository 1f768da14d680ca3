/**
 * Comments under load on two servers of one store, one of which is killed repeatedly, while their documents get other
 * ids: every acknowledged comment is stored once, with one event, one notification and one activity, and no call is
 * stored in part.
 */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, test } from 'vitest'
import { addComments } from '#contract/comments/comments.ts'
import { addThreads } from '#contract/comments/threads.ts'
import type { OrganizationKey } from '#contract/core/ids.ts'
import { updateActivityConfig } from '#contract/keys/activity-config.ts'
import { updateNotificationConfig } from '#contract/keys/notification-config.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import type { Db } from '#platform/db/db.ts'
import type { Client } from '#testing/client.ts'
import { completeMigration } from '#testing/jobs.ts'
import { createLastingStore, startProcess } from '#testing/processes/process.ts'
import { FULL } from '#testing/run/mode.ts'
import { ENGINE } from '#testing/server.ts'
import { assertStructure } from '../matrix/structure.ts'
import { assertEventsWithoutGaps, below, othersGone } from './ledger.ts'

const KILLS = Number(process.env.KILLS ?? (FULL ? 8 : 2))
const CALLERS = 8
const ORGANIZATIONS = ['a', 'b']
/** There are few threads, so that calls through both servers write in one thread at the same time. */
const THREADS = ['t0', 't1', 't2']

const organizationOf = (serial: number): string => ORGANIZATIONS[serial % ORGANIZATIONS.length] ?? ''
/** The present ids of the documents. */
const documents = new Map(ORGANIZATIONS.map((organizationId) => [organizationId, 'd']))
const place = (serial: number) => {
  const organizationId = organizationOf(serial)
  return { organizationId, documentId: documents.get(organizationId) }
}

/** A call that adds comments: to a thread, or as a new one. Each comment names it and its place in it. */
interface Sent {
  serial: number
  isThread: boolean
  comments: number
  acknowledged: boolean
}

const textOf = (serial: number, nth: number): string => `comment ${serial}.${nth}`

function callOf({ serial, isThread, comments }: Sent): [path: string, data: object] {
  const commentData = Array.from({ length: comments }, (_, nth) => ({
    from: { userId: `user ${below(20)}` },
    commentText: textOf(serial, nth),
    triggerNotification: true,
    ...(isThread && { triggerActivities: true }),
  }))
  return isThread
    ? [addThreads.path, { ...place(serial), commentAnnotations: [{ commentData }] }]
    : [addComments.path, { ...place(serial), annotationId: THREADS[below(THREADS.length)], commentData }]
}

/** Adds comments as fast as the server responds, until it is dead or `isOver`. */
async function commentUntil(client: Client, ledger: Sent[], isOver: () => boolean): Promise<void> {
  const caller = async () => {
    while (!isOver()) {
      const serial = ledger.length
      const sent: Sent = { serial, isThread: serial % 5 === 0, comments: 1 + below(3), acknowledged: false }
      ledger.push(sent)
      const answer = await client.post(...callOf(sent)).catch(() => undefined)
      if (answer === undefined) return
      if (answer.http !== 200) assert.equal(answer.body.error.reason, 'document_does_not_exist', answer.text)
      sent.acknowledged = answer.http === 200
    }
  }
  await Promise.all(Array.from({ length: CALLERS }, caller))
}

/** Gives the documents of an organization new ids, one after the other, through whichever server works on it. */
async function migrateUntil(client: Client, organizationId: string, isOver: () => boolean): Promise<void> {
  for (let nth = 1; !isOver(); nth++) {
    const newDocumentId = `d${nth}`
    const data = { organizationId, documentId: documents.get(organizationId) ?? '', newDocumentId }
    await completeMigration(client, data)
    documents.set(organizationId, newDocumentId)
    await sleep(50)
  }
}

/** Returns how many comments, events, notifications and activities each text has. */
async function storedOf(db: Db) {
  const { rows } = await db.query(`
    select c.content ->> 'commentText' as text, count(*)::int as comments, min(e.events)::int as events,
           min(n.notifications)::int as notifications, min(a.activities)::int as activities, min(d.id) as document
      from thread_comments c
     cross join lateral (
        select count(*) as events from events e
         where e.stream = c.organization_key and e.after ->> 'annotationId' = c.annotation_id and (e.after ->> 'commentId')::bigint = c.comment_id
     ) e
     cross join lateral (
        select count(*) as notifications from notifications n
         where n.organization_key = c.organization_key and n.target_annotation_id = c.annotation_id and n.target_comment_id = c.comment_id
     ) n
     cross join lateral (
        select count(*) as activities from activities a
         where a.organization_key = c.organization_key and a.target_entity_id = c.annotation_id and a.target_sub_entity_id = c.comment_id::text
     ) a
      join resources d on d.organization_key = c.organization_key and d.resource_key = c.resource_key
     where c.content ->> 'commentText' like 'comment %'
     group by c.content ->> 'commentText'`)
  return new Map(
    (rows as { text: string; [counted: string]: number | string }[]).map(({ text, ...counts }) => [text, counts]),
  )
}

async function assertStored(db: Db, ledger: readonly Sent[]): Promise<void> {
  const stored = await storedOf(db)
  let expected = 0
  for (const { serial, isThread, comments, acknowledged } of ledger) {
    const found = Array.from({ length: comments }, (_, nth) => stored.get(textOf(serial, nth))).filter(Boolean)
    if (acknowledged) assert.equal(found.length, comments, `call ${serial}: an acknowledged comment is lost`)
    else assert.ok(found.length === 0 || found.length === comments, `call ${serial} is there by halves`)
    const document = place(serial).documentId
    const once = { comments: 1, events: 1, notifications: 1, activities: isThread ? 1 : 0, document }
    for (const counts of found) assert.deepEqual(counts, once, `call ${serial}: what there is of a comment`)
    expected += found.length
  }
  assert.equal(stored.size, expected, 'there are comments that nobody sent')
}

describe('kill -9', { skip: ENGINE === 'embedded' }, () => {
  test(`keeps every acknowledged comment through ${KILLS} kills under load, with its event, notification and activity, under new ids`, async (t) => {
    const store = await createLastingStore()
    const ledger: Sent[] = []
    let [killed, lasting] = await Promise.all([startProcess(store.settings), startProcess(store.settings)])
    const key = await lasting.client.newKey()
    await key.call(updateNotificationConfig, { useNotificationService: true })
    await key.call(updateActivityConfig, { activityServiceConfig: { isEnabled: true } })
    for (const organizationId of ORGANIZATIONS) {
      await key.call(addDocuments, { organizationId, createOrganization: true, documents: [{ documentId: 'd' }] })
      const commentAnnotations = THREADS.map((annotationId) => ({
        annotationId,
        commentData: [{ from: { userId: 'user 0' }, commentText: 'the first' }],
      }))
      await key.call(addThreads, { organizationId, documentId: 'd', commentAnnotations })
    }
    let isOver = false
    const besides = Promise.all([
      commentUntil(key, ledger, () => isOver),
      ...ORGANIZATIONS.map((organizationId) => migrateUntil(key, organizationId, () => isOver)),
    ])
    for (let kill = 1; kill <= KILLS; kill++) {
      const before = ledger.length
      const load = commentUntil(killed.client.with(key.headers), ledger, () => false)
      while (!ledger.slice(before).some(({ acknowledged }) => acknowledged)) await sleep(10)
      await sleep(below(300))
      await killed.kill('SIGKILL')
      await load
      killed = await startProcess(store.settings)
    }
    isOver = true
    await besides
    for (const server of [killed, lasting]) await server.kill('SIGKILL')

    const db = await store.open()
    try {
      await othersGone(db)
      await assertStored(db, ledger)
      await assertEventsWithoutGaps(db)
      const { rows } = await db.query('select organization_key as key from organizations')
      await assertStructure(
        db,
        (rows as { key: OrganizationKey }[]).map(({ key }) => key),
      )
    } finally {
      await db.close()
    }
    t.annotate(`${ledger.filter((sent) => sent.acknowledged).length} of ${ledger.length} calls acknowledged`)
  })
})
