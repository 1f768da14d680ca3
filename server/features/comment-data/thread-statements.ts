/**
 * The SQL statements that write stored threads and who follows them; `stored-comment-statements.ts` writes their
 * comments. All run under the lock of the organization; each id may appear only once.
 */
import type { OrganizationKey } from '#contract/core/ids.ts'
import { joinChangeEvents, MENTIONED } from '#features/comments/shared.ts'
import { setStatement } from '#platform/db/statement.ts'
import type { Actor } from '#tenancy/callers/caller.ts'
import { RECORD_EVENTS } from '#tenancy/events/record.ts'
import { visibilityOf } from '#tenancy/thread-visibility.ts'

export interface ThreadKey {
  organizationKey: OrganizationKey
  resourceKey: string
  annotationId: string
}
export const THREAD_KEY = { organizationKey: 'uuid', resourceKey: 'uuid', annotationId: 'text' } as const

/** Finds the thread of a row. */
export const JOIN_THREAD = /* sql */ `
      left join lateral (
        select t.* from threads t
         where t.organization_key = item.organization_key and t.resource_key = item.resource_key
           and t.annotation_id = item.annotation_id limit 1
      ) t on true`

export type SetOutcome = 'ok' | 'missing' | 'full' | 'immutable'
export interface SetOutcomeRow {
  ord: number
  outcome: SetOutcome
}

export interface ThreadRow extends ThreadKey {
  documentId: string
  createdAt: string
  lastUpdated: string
  commentsWritten: number
  content: object
  rootId: number
  actor: Actor
}

/**
 * Writes threads, whose comments are written next; `REFRESH_THREADS` then counts these. One that stays the same has no event. The events of
 * changes are marked as imported, because an import notifies nobody.
 */
export const SET_THREADS = setStatement<ThreadRow, never>(
  'comment-data.set-threads',
  {
    ...THREAD_KEY,
    documentId: 'text',
    createdAt: 'timestamptz',
    lastUpdated: 'timestamptz',
    commentsWritten: 'int',
    content: 'jsonb',
    rootId: 'bigint',
    actor: 'jsonb',
  },
  /* sql */ `
  with named as materialized (
    select item.*, t.annotation_id is null as is_new, t.content as old_content, t.created_at as old_created_at, t.last_updated as old_last_updated
      from $input ${JOIN_THREAD}
     where t.annotation_id is null or (t.content, t.created_at, t.last_updated) is distinct from (item.content, item.created_at, item.last_updated)
        or t.comments_written < item.comments_written
  ),
  written as (
    insert into threads as t (organization_key, resource_key, annotation_id, created_at, last_updated, content,
                              comments_written, last_position, comment_count, bytes)
    select organization_key, resource_key, annotation_id, created_at, last_updated, content, comments_written, 0, 0, 0
      from named order by organization_key, resource_key, annotation_id
    on conflict (organization_key, resource_key, annotation_id) do update
       set created_at = excluded.created_at, last_updated = excluded.last_updated, content = excluded.content,
           comments_written = greatest(t.comments_written, excluded.comments_written)
  ),
  changed as materialized (
    select organization_key, ord, document_id, annotation_id, actor, old_content as content, content as new_content,
           case when old_created_at <> created_at then '["createdAt"]'::jsonb else '[]' end
             || case when old_last_updated <> last_updated then '["lastUpdated"]'::jsonb else '[]' end as times
      from named where not is_new
  ),
  event as (
    select organization_key, ord * 10 as position, 'thread.added' as type, 'document'::resource_kind as resource_kind, document_id as resource_id,
           content -> 'from' ->> 'userId' as user_id, actor, null::jsonb as before,
           jsonb_strip_nulls(jsonb_build_object(
             'annotationId', annotation_id, 'commentId', root_id, 'statusId', content -> 'status' -> 'id', 'priorityId', content -> 'priority' -> 'id',
             'visibility', ${visibilityOf('content')}, 'assigned', case when content ? 'assignedTo' then true end)) as after
      from named where is_new
    union all
    select c.organization_key, c.ord * 10 + e.nth, e.type, 'document', c.document_id,
           case e.nth when 1 then c.new_content ->> 'statusUpdatedByUserId' end, c.actor,
           case when e.before is not null then jsonb_build_object('annotationId', c.annotation_id) || e.before end,
           jsonb_build_object('annotationId', c.annotation_id, 'isImported', true) || e.after
      from changed c${joinChangeEvents('c')}
  ),
  ${RECORD_EVENTS}
  select null where false`,
)

/** Counts the comments of threads that were written, so that derived values cannot disagree with them. */
export const REFRESH_THREADS = setStatement<ThreadKey, never>(
  'comment-data.refresh-threads',
  THREAD_KEY,
  /* sql */ `
  with thread as materialized (
    select t.ctid as row, octet_length(t.content::text) + c.bytes as bytes, c.last_position, c.comment_count, m.mentioned
      from $input
     cross join lateral (
        select t.ctid, t.content from threads t
         where t.organization_key = item.organization_key and t.resource_key = item.resource_key
           and t.annotation_id = item.annotation_id limit 1
      ) t
     cross join lateral (
        select sum(c.bytes)::int as bytes, max(c.position) as last_position, count(*)::int as comment_count from thread_comments c
         where c.organization_key = item.organization_key and c.resource_key = item.resource_key and c.annotation_id = item.annotation_id
      ) c
     cross join lateral (
        select${MENTIONED(/* sql */ `
        select c.position, c.content from thread_comments c
         where c.organization_key = item.organization_key and c.resource_key = item.resource_key and c.annotation_id = item.annotation_id`)} as mentioned
      ) m
     where c.comment_count > 0
  )
  update threads t
     set bytes = n.bytes, last_position = n.last_position, comment_count = n.comment_count, mentioned_user_ids = n.mentioned,
         comments_written = greatest(t.comments_written, n.last_position)
    from thread n where t.ctid = n.row
     and (t.bytes, t.last_position, t.comment_count, t.mentioned_user_ids) is distinct from (n.bytes, n.last_position, n.comment_count, n.mentioned)`,
)

export interface ThreadUserRow extends ThreadKey {
  userId: string
  subscription: 'subscribed' | 'unsubscribed' | null
  isManual: boolean
  contact: object | null
  seenThrough: number
  /** A moment that has not come yet counts as now: changes until then would not be mailed. */
  seenAt: string | null
}

const THREAD_USER = {
  ...THREAD_KEY,
  userId: 'text',
  subscription: 'text',
  isManual: 'boolean',
  contact: 'jsonb',
  seenThrough: 'int',
  seenAt: 'timestamptz',
} as const

/** Writes whom threads name, as far as they are not known: an erasure must find all of them. */
export const ADD_THREAD_USERS = setStatement<ThreadUserRow, never>(
  'comment-data.add-thread-users',
  THREAD_USER,
  /* sql */ `
  insert into thread_users (organization_key, resource_key, annotation_id, user_id, subscription, is_manual, contact, seen_through)
  select item.organization_key, item.resource_key, item.annotation_id, item.user_id, item.subscription, item.is_manual, item.contact, item.seen_through
    from $input
   order by item.organization_key, item.resource_key, item.annotation_id, item.user_id
  on conflict (organization_key, resource_key, annotation_id, user_id) do nothing`,
)

/** Writes who follows existing threads, and what these users have seen of them. */
export const SET_THREAD_USERS = setStatement<ThreadUserRow, SetOutcomeRow>(
  'comment-data.set-thread-users',
  THREAD_USER,
  /* sql */ `
  with named as materialized (
    select item.*, case when t.annotation_id is null then 'missing' else 'ok' end as outcome
      from $input ${JOIN_THREAD}
  ),
  written as (
    insert into thread_users as u (organization_key, resource_key, annotation_id, user_id, subscription, is_manual, contact, seen_through, seen_at)
    select organization_key, resource_key, annotation_id, user_id, subscription, is_manual, contact, seen_through,
           case when seen_at is not null then least(seen_at, coalesce($now, clock_timestamp())) end
      from named where outcome = 'ok' order by organization_key, resource_key, annotation_id, user_id
    on conflict (organization_key, resource_key, annotation_id, user_id) do update
       set subscription = excluded.subscription, is_manual = excluded.is_manual, contact = excluded.contact,
           seen_through = excluded.seen_through, seen_at = excluded.seen_at
     where (u.subscription, u.is_manual, u.contact, u.seen_through, u.seen_at)
           is distinct from (excluded.subscription, excluded.is_manual, excluded.contact, excluded.seen_through, excluded.seen_at)
  )
  select ord::int, outcome from named order by ord`,
)
