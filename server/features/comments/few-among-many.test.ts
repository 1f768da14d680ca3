/**
 * A call about few records costs the same, however many others their document, thread or user has. The rows that PostgreSQL reads are
 * counted: other tenants wait for the same database.
 */
import assert from 'node:assert/strict'
import { beforeAll, describe, it } from 'vitest'
import { deleteComments, getComments, updateComments } from '#contract/comments/comments.ts'
import { addThreads, deleteThreads, getThreads, updateThreads } from '#contract/comments/threads.ts'
import type { ApiKeyId } from '#contract/core/ids.ts'
import { updateNotificationConfig } from '#contract/keys/notification-config.ts'
import { getNotifications } from '#contract/notifications/notifications.ts'
import { getNotificationPreferences } from '#contract/notifications/preferences.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import { setValues } from '#platform/db/statement.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import { type Acme, newAcme, organizationId } from '#testing/acme.ts'
import { recordStatements } from '#testing/rows-of-calls.ts'
import { rowsReadByAnyValues } from '#testing/rows-read.ts'
import { ENGINE, startServer } from '#testing/server.ts'
import { apiKeyOf } from '../../../test/conformance/support/callers.ts'
import { LIST_MENTIONS } from '../user-data/comment-statements.ts'
import { FIND_PRIVATE_THREADS, LIST_MEMBERSHIPS } from './live/statements.ts'
import { LIST_RECIPIENTS } from './recipients/statements.ts'

const recorded = recordStatements()
const server = await startServer({}, recorded.through)
const FEW = 60
const MANY = 3_000
const NIL = '00000000-0000-0000-0000-000000000000'

/** Copies what the call has added: thread `t` of document `$2`, or its comment 2, `$3` times. */
const COPIES = {
  threads: [
    `insert into threads (organization_key, resource_key, annotation_id, created_at, last_updated, content, mentioned_user_ids, comments_written,
                          last_position, comment_count, bytes)
     select t.organization_key, t.resource_key, 't' || n, t.created_at - make_interval(secs => n), t.last_updated - make_interval(secs => n), t.content,
            t.mentioned_user_ids, t.comments_written, t.last_position, t.comment_count, t.bytes
       from threads t cross join generate_series(1, $3::int) n where t.organization_key = $1 and t.resource_key = $2 and t.annotation_id = 't'`,
    `insert into thread_comments (organization_key, resource_key, annotation_id, comment_id, position, created_at, last_updated, content, bytes)
     select c.organization_key, c.resource_key, 't' || n, c.comment_id, c.position, c.created_at, c.last_updated, c.content, c.bytes
       from thread_comments c cross join generate_series(1, $3::int) n
      where c.organization_key = $1 and c.resource_key = $2 and c.annotation_id = 't'`,
    `insert into thread_users select (jsonb_populate_record(u, jsonb_build_object('annotation_id', 't' || n))).*
       from thread_users u cross join generate_series(1, $3::int) n where u.organization_key = $1 and u.resource_key = $2 and u.annotation_id = 't'`,
    `insert into notifications select (jsonb_populate_record(x, jsonb_build_object('notification_id', x.notification_id || n, 'target_annotation_id', 't' || n))).*
       from notifications x cross join generate_series(1, $3::int) n where x.organization_key = $1 and x.resource_key = $2 and x.target_annotation_id = 't'`,
    `insert into notification_recipients select (jsonb_populate_record(r, jsonb_build_object('notification_id', r.notification_id || n))).*
       from notifications x cross join generate_series(1, $3::int) n
       join notification_recipients r on r.organization_key = x.organization_key and r.notification_id = x.notification_id
      where x.organization_key = $1 and x.resource_key = $2 and x.target_annotation_id = 't'`,
  ],
  comments: [
    `insert into thread_comments (organization_key, resource_key, annotation_id, comment_id, position, created_at, last_updated, content, bytes)
     select c.organization_key, c.resource_key, 't', 100 + n, 2 + n, c.created_at, c.last_updated, c.content, c.bytes
       from thread_comments c cross join generate_series(1, $3::int) n
      where c.organization_key = $1 and c.resource_key = $2 and c.annotation_id = 't' and c.comment_id = 2`,
    `update threads set comments_written = 2 + $3::int, last_position = 2 + $3::int, comment_count = 2 + $3::int
      where organization_key = $1 and resource_key = $2 and annotation_id = 't'`,
  ],
  preferences: [
    `insert into resources (organization_key, resource_key, kind, id, added_at)
     select $1, ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, 'document', 'muted' || n, now()
       from generate_series(1, $3::int) n where $2::uuid is not null`,
    `insert into notification_preferences (organization_key, resource_key, user_id, channels)
     select organization_key, resource_key, 'bob', '{"inbox": "NONE"}' from resources
      where organization_key = $1 and $2::uuid is not null and $3::int > 0 and id like 'muted%'`,
    `insert into notification_preferences (organization_key, resource_key, user_id, channels, is_mail_off)
     select $1, $1, 'bob', '{"slack": "ALL"}', true where $2::uuid is not null and $3::int > 0`,
    `insert into notification_preferences (organization_key, resource_key, user_id, channels)
     select $1::uuid, o.key, 'quiet' || n, '{"inbox": "NONE", "email": "MINE"}'
       from generate_series(1, $3::int) n, unnest(array[$1, $2]::uuid[]) as o(key)`,
  ],
}

const mention = { userId: 'bob', text: '@bob', contact: { userId: 'bob' } }

/** Returns an organization whose document `d` has thread `t` of two comments, which mentions bob, and copies. */
async function newOrganization(what: keyof typeof COPIES, count: number): Promise<Acme> {
  const acme = await newAcme(server)
  await acme.key.call(updateNotificationConfig, { useNotificationService: true })
  await acme.call(addDocuments, { documents: [{ documentId: 'd' }] })
  await acme.grant('organization', organizationId, 'bob')
  const first = { commentId: 1, from: { userId: 'ada' }, taggedUserContacts: [mention], triggerNotification: true }
  const commentData = [first, { commentId: 2, from: { userId: 'ada' }, commentText: 'second' }]
  await acme.call(addThreads, { documentId: 'd', commentAnnotations: [{ annotationId: 't', commentData }] })
  const key = keyOf(acme)
  const [document] = (
    await server.db.query(`select resource_key from resources where organization_key = $1 and id = 'd'`, [key])
  ).rows as { resource_key: string }[]
  for (const text of COPIES[what]) await server.db.query(text, [key, document?.resource_key, count])
  return acme
}

const keyOf = ({ key }: Acme) => organizationKey({ apiKeyId: apiKeyOf(key) as ApiKeyId }, organizationId)

describe('a call about few records among many', () => {
  const worlds = {} as Record<keyof typeof COPIES, { few: Acme; many: Acme }>
  beforeAll(async () => {
    for (const what of Object.keys(COPIES) as (keyof typeof COPIES)[])
      worlds[what] = { few: await newOrganization(what, FEW), many: await newOrganization(what, MANY) }
  })

  /** Compares the rows that a call reads. */
  async function assertEqualCost(what: keyof typeof COPIES, names: RegExp, call: (acme: Acme) => Promise<unknown>) {
    const { few, many } = worlds[what]
    const small = await recorded.rowsOf(server.db, names, () => call(few))
    const large = await recorded.rowsOf(server.db, names, () => call(many))
    assert.ok(large <= 1.5 * small + 10, `${large} rows instead of ${small}`)
  }
  const onDocument = { documentId: 'd' }
  const inThread = { ...onDocument, annotationId: 't' }
  const rename = { updatedData: { location: { id: 'here' } } }

  it('reads a page of the mentions of a user, before the tables are analyzed', async () => {
    const rowsOf = (acme: Acme) =>
      server.db.transaction((session) =>
        rowsReadByAnyValues(session, LIST_MENTIONS, [keyOf(acme), 'bob', NIL, '', 0, 10]),
      )
    const { few, many } = worlds.threads
    const [small, large] = [await rowsOf(few), await rowsOf(many)]
    assert.ok(large <= 1.5 * small + 10, `${large} rows instead of ${small}`)
  })

  describe('once the tables are analyzed', () => {
    beforeAll(() => server.db.query('vacuum analyze'))

    it('reads and changes named comments of a long thread', async () => {
      const named = { ...inThread, commentIds: [2] }
      await assertEqualCost('comments', /^comments\./, (acme) => acme.call(getComments, named))
      const updatedData = { commentText: 'other' }
      await assertEqualCost('comments', /^comments\./, (acme) => acme.call(updateComments, { ...named, updatedData }))
      await assertEqualCost('comments', /^comments\./, (acme) =>
        acme.call(deleteComments, { ...inThread, commentIds: [105] }),
      )
    })

    it('changes and deletes named threads of a document', async () => {
      const named = { ...onDocument, annotationIds: ['t5'] }
      await assertEqualCost('threads', /^threads\./, (acme) => acme.call(updateThreads, { ...named, ...rename }))
      await assertEqualCost('threads', /^threads\./, (acme) => acme.call(deleteThreads, named))
    })

    // The embedded engine, with few threads, sorts them all.
    it('reads a page of threads that match a filter', { skip: ENGINE === 'embedded' }, async () => {
      const page = { ...onDocument, statusIds: ['OPEN'], pageSize: 10 }
      await assertEqualCost('threads', /^threads\.list/, (acme) => acme.call(getThreads, page))
    })

    it('reads a page of an inbox in which every notification names the user', async () => {
      await assertEqualCost('threads', /^notifications\.list/, (acme) =>
        acme.call(getNotifications, { userId: 'bob', pageSize: 10 }),
      )
    })

    it('reads the preferences of a user for some documents of very many, with those for the organization', async () => {
      await assertEqualCost('preferences', /^notification-preferences/, (acme) =>
        acme.call(getNotificationPreferences, { userId: 'bob', documentIds: ['muted7'] }),
      )
      for (const acme of Object.values(worlds.preferences)) {
        const [ofOrganization] = await acme.call(getNotificationPreferences, { userId: 'bob' })
        assert.deepEqual(ofOrganization.config, { inbox: 'ALL', email: 'NONE', slack: 'ALL' })
      }
    })

    it('finds the few users who want to hear of every comment among many who do not', async () => {
      const { many } = worlds.preferences
      const key = keyOf(many)
      const threads = await server.db.query('select resource_key from threads where organization_key = $1', [key])
      const [thread] = threads.rows as { resource_key: string }[]
      const comment = { organizationKey: key, resourceKey: thread?.resource_key, annotationId: 't', commentId: 2 }
      const asked = {
        isChange: false,
        changedAt: null,
        actorId: null,
        defaultLevel: 'MINE',
        afterUserId: '',
        onlyUserId: null,
      }
      const values = setValues<object, unknown>(
        LIST_RECIPIENTS as never,
        [{ ...comment, ...asked, channel: 'slack' }],
        null,
      )
      const read = await server.db.transaction((session) => rowsReadByAnyValues(session, LIST_RECIPIENTS, values))
      assert.ok(read < 100, `${read} rows`)
    })

    it('finds the few private threads of which a stream must know', async () => {
      for (const statement of [FIND_PRIVATE_THREADS, LIST_MEMBERSHIPS]) {
        const rows = [{ organizationKey: keyOf(worlds.threads.many), documentId: 'd', userId: 'bob' }]
        const values = setValues<object, unknown>(statement as never, rows, null)
        const read = await server.db.transaction((session) => rowsReadByAnyValues(session, statement, values))
        assert.ok(read < 10, `${read} rows`)
      }
    })
  })
})
