/** The SQL statements that change and delete the comments of a thread. */
import { setStatement } from '#platform/db/statement.ts'
import type { Actor } from '#tenancy/callers/caller.ts'
import { RECORD_EVENTS } from '#tenancy/events/record.ts'
import { MERGED } from '#tenancy/metadata.ts'
import { visibilityInEvents } from '#tenancy/thread-visibility.ts'
import { changedFields, changedTimes } from '../threads/change-events.ts'
import { listingAuthor } from '../threads/change-statements.ts'
import { joinThread, type MissingThread, type NamedThreadRow, WHEN_MISSING } from './named.ts'

export interface ChosenRow extends NamedThreadRow {
  /** Lists of `commentIds` and `userIds`; null: of all. */
  commentIds: string | null
  userIds: string | null
  actor: Actor
  /** The user of the user token, whom the event of a deleted thread names; null: an auth token. */
  byUserId: string | null
}

export interface CommentChangeRow extends ChosenRow {
  /** `null` clears a field. */
  changes: string
  createdAt: string | null
  lastUpdated: string | null
  /** The users whom the changes name, as for new comments. */
  users: string
  notify: boolean
  /** Whether comments count as changed although they stay as they are: the call asks to tell of them once more. */
  tell: boolean
  bytesMax: number
}

export interface ChosenOutcome {
  outcome: 'ok' | MissingThread | 'thread_full'
  /** The numbers of the chosen comments. */
  ids: number[]
  migratedTo: string | null
}

const CHOSEN_COLUMNS = {
  organizationKey: 'uuid',
  documentId: 'text',
  annotationId: 'text',
  commentIds: 'jsonb',
  userIds: 'jsonb',
  actor: 'jsonb',
  byUserId: 'text',
} as const

/** The chosen comments of a thread `t`, with their places in the table. Named ones are found by key, however many the thread has. */
const CHOSEN = (t: string, item: string): string => /* sql */ `
        select c.ctid as comment_row, c.comment_id, c.position, c.content, c.bytes, c.author_id, c.created_at as was_created_at,
               c.last_updated as was_last_updated
          from (
            select c.ctid, c.* from thread_comments c
             where c.organization_key = ${item}.organization_key and c.resource_key = ${t}.resource_key
               and c.annotation_id = ${item}.annotation_id and ${item}.comment_ids is null
            union all
            select c.* from (select distinct id::bigint as id from jsonb_array_elements_text(${item}.comment_ids) as asked (id)) asked
             cross join lateral (
                select c.ctid, c.* from thread_comments c
                 where c.organization_key = ${item}.organization_key and c.resource_key = ${t}.resource_key
                   and c.annotation_id = ${item}.annotation_id and c.comment_id = asked.id limit 1
              ) c
          ) c
         where ${item}.user_ids is null or c.author_id = any(json_texts(${item}.user_ids))
         offset 0`

/**
 * The users whom the comments of a thread mention, each once, in the order in which they are first mentioned: by the `position` of the
 * comment, and in it as its `content` names them.
 */
export const MENTIONED = (comments: string): string => /* sql */ `
      (select coalesce(array_agg(id order by place), '{}')
         from (select tag.value ->> 'userId' as id, min(array[m.position, tag.nth]) as place
                 from (${comments}) m
                cross join lateral jsonb_array_elements(m.content -> 'taggedUserContacts') with ordinality as tag(value, nth)
                group by 1) each_user)`

/**
 * Changes comments of the thread of one row: each field of `changes` replaces the stored one. The author of the first comment is
 * the author of the thread. Runs under the lock of the organization; joins by `ctid`, which cannot change under it.
 */
export const UPDATE_COMMENTS = setStatement<CommentChangeRow, ChosenOutcome & { changedIds: number[] }>(
  'comments.update',
  {
    ...CHOSEN_COLUMNS,
    changes: 'jsonb',
    createdAt: 'timestamptz',
    lastUpdated: 'timestamptz',
    users: 'jsonb',
    notify: 'boolean',
    tell: 'boolean',
    bytesMax: 'int',
  },
  /* sql */ `
  with clock as materialized (select date_trunc('milliseconds', coalesce($now, clock_timestamp())) as now),
  named as materialized (
    select item.*, d.resource_key, t.row, t.content as thread, t.bytes as thread_bytes, moved.id as migrated_to,
           case ${WHEN_MISSING}
                else 'ok' end as outcome
      from $input ${joinThread()}
  ),
  found as materialized (
    select n.ord, c.*, merged.is_changed, merged.content || '{"status": "updated"}' as new_content,
           case when merged.is_changed then octet_length(merged.content::text) + 22 else c.bytes end as new_bytes
      from named n cross join lateral (${CHOSEN('n', 'n')}
      ) c
     cross join lateral (
        select new.content, n.tell or new.content <> c.content or n.created_at <> c.was_created_at
                 or n.last_updated <> c.was_last_updated as is_changed
          from (select ${MERGED('c.content', 'n.changes')} as content) new
      ) merged
     where n.outcome = 'ok'
  ),
  total as materialized (
    select n.*, coalesce(f.more, 0) as more, coalesce(f.chosen, 0) as chosen, f.ids, f.first_position
      from named n
     cross join lateral (
        select sum(f.new_bytes - f.bytes) as more, count(*) as chosen, jsonb_agg(f.comment_id order by f.position) as ids,
               min(f.position) as first_position
          from found f where f.ord = n.ord
      ) f
  ),
  accepted as materialized (
    select * from total where outcome = 'ok' and chosen > 0 and thread_bytes + more <= bytes_max
  ),
  changed as materialized (
    select f.*, a.created_at, coalesce(a.last_updated, clock.now) as last_updated
      from accepted a cross join clock join found f on f.ord = a.ord
     where f.is_changed
  ),
  written as (
    update thread_comments c
       set content = n.new_content, bytes = n.new_bytes, created_at = coalesce(n.created_at, c.created_at), last_updated = n.last_updated
      from changed n where c.ctid = n.comment_row
  ),
  users_written as (
    insert into thread_users as k (organization_key, resource_key, annotation_id, user_id, subscription, contact)
    select a.organization_key, a.resource_key, a.annotation_id, u.value ->> 'userId', u.value ->> 'subscription',
           nullif(u.value -> 'contact', 'null')
      from accepted a cross join lateral jsonb_array_elements(a.users) as u(value)
     order by a.organization_key, a.resource_key, a.annotation_id, u.value ->> 'userId'
    on conflict (organization_key, resource_key, annotation_id, user_id) do update
       set subscription = coalesce(k.subscription, excluded.subscription), contact = coalesce(excluded.contact, k.contact)
  ),
  authored as materialized (
    select n.ord, ${listingAuthor('n.content')} as content
      from (select a.ord, a.thread || jsonb_build_object('from', a.changes -> 'from') as content
              from accepted a
             where a.changes ? 'from' and not exists (
                     select from thread_comments c
                      where c.organization_key = a.organization_key and c.resource_key = a.resource_key
                        and c.annotation_id = a.annotation_id and c.position < a.first_position)) n
  ),
  moved_on as (
    update threads t
       set last_updated = clock.now, bytes = t.bytes + a.more,
           content = coalesce((select n.content from authored n where n.ord = a.ord), t.content),
           mentioned_user_ids = case when a.changes ? 'taggedUserContacts' then${MENTIONED(/* sql */ `
        select c.position, coalesce(f.new_content, c.content) as content
          from thread_comments c left join found f on f.ord = a.ord and f.comment_id = c.comment_id
         where c.organization_key = a.organization_key and c.resource_key = a.resource_key and c.annotation_id = a.annotation_id`)}
             else t.mentioned_user_ids end
      from accepted a cross join clock
     where t.ctid = a.row and exists (select from changed c where c.ord = a.ord)
  ),
  event as (
    select a.organization_key, c.position, 'comment.updated' as type, 'document'::resource_kind as resource_kind,
           a.document_id as resource_id, c.new_content -> 'from' ->> 'userId' as user_id, a.actor, null::jsonb as before,
           jsonb_build_object('annotationId', a.annotation_id, 'commentId', c.comment_id, 'fields',
               ${changedFields('c.content', 'c.new_content', `k.name = 'status'`)}
                 || ${changedTimes('a', 'c')})
             || case when a.notify then '{"notify": true}'::jsonb else '{}' end as after
      from changed c join accepted a on a.ord = c.ord
  ),
  ${RECORD_EVENTS}
  select case when outcome = 'ok' and thread_bytes + more > bytes_max then 'thread_full' else outcome end as outcome,
         coalesce(ids, '[]') as ids, migrated_to as "migratedTo",
         (select coalesce(jsonb_agg(c.comment_id order by c.position), '[]') from changed c where c.ord = total.ord) as "changedIds"
    from total order by ord`,
)

const REMAINING = /* sql */ `
        select c.position, c.content from thread_comments c
         where c.organization_key = a.organization_key and c.resource_key = a.resource_key and c.annotation_id = a.annotation_id
           and not exists (select from found f where f.ord = a.ord and f.comment_id = c.comment_id)`

/**
 * Deletes comments of the thread of one row, and the thread if no comment is left. The others are read only if the last comment is
 * deleted, or one with a mention. Runs under the lock of the organization; joins by `ctid`, which cannot change under it.
 */
export const DELETE_COMMENTS = setStatement<ChosenRow, ChosenOutcome>(
  'comments.delete',
  CHOSEN_COLUMNS,
  /* sql */ `
  with clock as materialized (select date_trunc('milliseconds', coalesce($now, clock_timestamp())) as now),
  named as materialized (
    select item.*, d.resource_key, t.row, t.comment_count, ${visibilityInEvents('t.visibility', 't.access_context')} as visibility, moved.id as migrated_to,
           case ${WHEN_MISSING}
                else 'ok' end as outcome
      from $input ${joinThread()}
  ),
  found as materialized (
    select n.ord, c.* from named n cross join lateral (${CHOSEN('n', 'n')}
      ) c where n.outcome = 'ok'
  ),
  total as materialized (
    select n.*, f.fewer, coalesce(f.chosen, 0) as chosen, f.ids, f.last_chosen, f.has_mentions,
           coalesce(f.chosen, 0) >= n.comment_count as is_all
      from named n
     cross join lateral (
        select sum(f.bytes) as fewer, count(*) as chosen, jsonb_agg(f.comment_id order by f.position) as ids,
               max(f.position) as last_chosen, bool_or(jsonb_array_length(f.content -> 'taggedUserContacts') > 0) as has_mentions
          from found f where f.ord = n.ord
      ) f
  ),
  accepted as materialized (select * from total where outcome = 'ok' and chosen > 0),
  deleted as (delete from thread_comments c using found f where c.ctid = f.comment_row),
  thread_deleted as (delete from threads t using accepted a where t.ctid = a.row and a.is_all),
  moved_on as (
    update threads t
       set last_updated = clock.now, bytes = t.bytes - a.fewer, comment_count = t.comment_count - a.chosen,
           last_position = case when a.last_chosen < t.last_position then t.last_position
                                else (select max(m.position) from (${REMAINING}) m) end,
           mentioned_user_ids = case when a.has_mentions then ${MENTIONED(REMAINING)}
             else t.mentioned_user_ids end
      from accepted a cross join clock where t.ctid = a.row and not a.is_all
  ),
  event as (
    select a.organization_key, 0 as position, 'thread.deleted' as type, 'document'::resource_kind as resource_kind,
           a.document_id as resource_id, a.by_user_id as user_id, a.actor,
           jsonb_build_object('annotationId', a.annotation_id, 'visibility', a.visibility, 'comments', a.chosen) as before, null::jsonb as after
      from accepted a where a.is_all
    union all
    select a.organization_key, f.position, 'comment.deleted', 'document', a.document_id, f.author_id, a.actor,
           jsonb_build_object('annotationId', a.annotation_id, 'commentId', f.comment_id), null
      from found f join accepted a on a.ord = f.ord where not a.is_all
  ),
  ${RECORD_EVENTS}
  select outcome, coalesce(ids, '[]') as ids, migrated_to as "migratedTo" from total order by ord`,
)
