/** An erasure deletes a large inbox, and what a busy user has notified many of, in portions: others write in between. */
import assert from 'node:assert/strict'
import { it } from 'vitest'
import type { ApiKeyId, OrganizationKey } from '#contract/core/ids.ts'
import { addNotification } from '#contract/notifications/notifications.ts'
import type { Db } from '#platform/db/db.ts'
import { setValues } from '#platform/db/statement.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import { ROWS_MAX } from '#tenancy/user-jobs/statements.ts'
import { type Acme, newAcme, organizationId } from '#testing/acme.ts'
import { completeErasure } from '#testing/jobs.ts'
import { rowsReadByAnyValues } from '#testing/rows-read.ts'
import { startServer } from '#testing/server.ts'
import { apiKeyOf } from '../../../test/conformance/support/callers.ts'
import { eventsOf } from '../../../test/conformance/support/events.ts'
import { ERASE_ACTED_NOTIFICATIONS } from './notification-statements.ts'

/** More than two portions. */
const INBOX = 2 * ROWS_MAX + 500
const ACTED = 450
const NAMED = 30

/** Counts the recipients that each transaction deletes. */
const COUNT_DELETED = `
  create table deleted_recipients (transaction xid8, count int);
  create function count_deleted() returns trigger language plpgsql as $$
  begin
    insert into deleted_recipients select pg_current_xact_id(), count(*) from gone;
    return null;
  end $$;
  create trigger counted after delete on notification_recipients referencing old table as gone
    for each statement execute function count_deleted()`

/** Copies notification $2 of organization $1, with its data, $3 times. */
const COPY = [
  `insert into notifications select (jsonb_populate_record(n, jsonb_build_object('notification_id', n.notification_id || i))).*
     from notifications n, generate_series(1, $3::int) i where n.organization_key = $1 and n.notification_id = $2`,
  `insert into notification_recipients select (jsonb_populate_record(r, jsonb_build_object('notification_id', r.notification_id || i))).*
     from notification_recipients r, generate_series(1, $3::int) i where r.organization_key = $1 and r.notification_id = $2`,
]

/** Adds notifications that name bob in their texts, each with copies. */
function addingTo(acme: Acme, { db }: { db: Db }) {
  const key = organizationKey({ apiKeyId: apiKeyOf(acme.key) as ApiKeyId }, organizationId)
  const add = async (notificationId: string, actor: string, users: string[], copies: number) => {
    const notifyUsers = users.map((userId) => ({ userId }))
    const texts = { displayHeadlineMessageTemplate: '{who}', displayBodyMessage: 'body' }
    const data = { displayHeadlineMessageTemplateData: { who: { userId: 'bob' } } }
    const named = { notificationId, notifyAll: false, notifyUsers, actionUser: { userId: actor } }
    await acme.call(addNotification, { documentId: 'd', ...named, ...texts, ...data })
    for (const text of COPY) await db.query(text, [key, notificationId, copies])
  }
  return { key, add }
}

/** Returns how many rows the first portion of notifications about what users did reads, without deleting it. */
async function rowsOfPortion(db: Db, users: { organizationKey: OrganizationKey; userId: string }[]) {
  const undone = new Error('undone')
  let read = 0
  await assert.rejects(
    db.transaction(async (session) => {
      const values = setValues(ERASE_ACTED_NOTIFICATIONS, users, null)
      read = await rowsReadByAnyValues(session, ERASE_ACTED_NOTIFICATIONS, values)
      throw undone
    }),
    undone,
  )
  return read
}

it('erases a user with a large inbox, who has notified many, in portions, with one event', async () => {
  const server = await startServer()
  const acme = await newAcme(server)
  await acme.addDocuments('root', { documentId: 'd' })
  await acme.grant('organization', organizationId, 'bob')
  const { key, add } = addingTo(acme, server)
  const readers = Array.from({ length: NAMED }, (_, nth) => `reader${nth}`)
  await add('to-bob', 'ada', ['bob', 'eve'], INBOX)
  await add('by-bob', 'bob', readers, ACTED)
  await server.db.query(COUNT_DELETED)
  const read = await rowsOfPortion(server.db, [{ organizationKey: key, userId: 'bob' }])
  assert.ok(read < 2 * ROWS_MAX, `a portion reads ${read} rows, also of notifications that it leaves`)

  await completeErasure(acme.key, { userIds: ['bob'] })

  const { rows } = await server.db.query(`
    select (select max(count)::int from (select sum(count) as count from deleted_recipients group by transaction) each_one) as most,
           (select sum(count)::int from deleted_recipients) as deleted,
           (select count(*)::int from notifications) as notifications,
           (select count(*)::int from notifications where content::text like '%bob%') as naming,
           (select array_agg(distinct user_id) from notification_recipients) as users`)
  const [{ most, deleted, ...left }] = rows as [{ most: number; deleted: number }]
  assert.equal(deleted, INBOX + 1 + (ACTED + 1) * NAMED)
  assert.ok(most <= 2 * ROWS_MAX, `one transaction deleted ${most}`)
  assert.deepEqual(left, { notifications: INBOX + 1, naming: 0, users: ['eve'] })
  const removals = (await eventsOf(server.db, apiKeyOf(acme.key))).filter(({ type }) => type === 'user.removed')
  assert.equal(removals.length, 1)
})

it('reports the removal of each user, also if one portion has room for all that a user has', async () => {
  const server = await startServer()
  const acme = await newAcme(server)
  await acme.addDocuments('root', { documentId: 'd' })
  const { add } = addingTo(acme, server)
  const removed = ['bob', 'eve', 'kim', 'lea']
  for (const reader of ['bob', 'eve']) await add(`to-${reader}`, 'ada', [reader], 0.6 * ROWS_MAX)
  for (const actor of ['kim', 'lea']) await add(`by-${actor}`, actor, ['max'], 150)

  await completeErasure(acme.key, { userIds: removed })

  const events = await eventsOf(server.db, apiKeyOf(acme.key))
  assert.equal(events.filter(({ type }) => type === 'user.removed').length, removed.length)
  const { rows } = await server.db.query('select array_agg(distinct user_id) as users from notification_recipients')
  assert.deepEqual(rows, [{ users: null }])
})
