/** The SQL statements that add and read the comments of a thread. */
import { setStatement, statement } from '#platform/db/statement.ts'
import type { Actor } from '#tenancy/callers/caller.ts'
import { RECORD_EVENTS } from '#tenancy/events/record.ts'
import type { RequestRow } from '#tenancy/writes/coalesced.ts'
import { isLocked } from '#tenancy/writes/organization.ts'
import type { StoredComment } from '../threads/read-statements.ts'
import { joinThread, type MissingThread, type NamedThreadRow, WHEN_MISSING } from './named.ts'

export interface NewCommentsRow extends NamedThreadRow {
  /** The transaction is known to have locked the organization (`isLocked`). */
  isLocked: boolean
  /** Rows of `NewCommentJson`, and of the users whom they name. */
  comments: string
  users: string
  mentioned: string
  bytes: number
  commentsMax: number
  bytesMax: number
  actor: Actor
}

export interface NewCommentsOutcome {
  outcome: 'ok' | MissingThread | 'comment_exists' | 'thread_full'
  /** The numbers that comments of the thread have already. */
  taken: number[]
  migratedTo: string | null
}

/**
 * Adds the comments of each row to the end of its thread, and updates the thread's `lastUpdated`. No two rows name the
 * same thread. An author who had seen the whole thread has also seen their own new comments. Runs under the lock of the
 * organization.
 */
export const ADD_COMMENTS = setStatement<NewCommentsRow & RequestRow, NewCommentsOutcome & RequestRow>(
  'comments.add',
  {
    req: 'int',
    organizationKey: 'uuid',
    apiKeyId: 'text',
    isLocked: 'boolean',
    documentId: 'text',
    annotationId: 'text',
    comments: 'jsonb',
    users: 'jsonb',
    mentioned: 'jsonb',
    bytes: 'int',
    commentsMax: 'int',
    bytesMax: 'int',
    actor: 'jsonb',
  },
  /* sql */ `
  with clock as materialized (select date_trunc('milliseconds', coalesce($now, clock_timestamp())) as now),
  named as materialized (
    select item.*, d.resource_key, t.row, t.comments_written, t.last_position, t.mentioned_user_ids, taken.ids as taken,
           moved.id as migrated_to, jsonb_array_length(item.comments) as added,
           case ${WHEN_MISSING}
                when taken.ids <> '[]' then 'comment_exists'
                when t.comment_count + jsonb_array_length(item.comments) > item.comments_max
                  or t.bytes + item.bytes > item.bytes_max then 'thread_full'
                else 'ok' end as outcome
      from $input ${joinThread(isLocked('item'))}
     cross join lateral (
        select coalesce(jsonb_agg(c.comment_id), '[]') as ids from jsonb_array_elements(item.comments) as n(value)
         cross join lateral (
            select c.comment_id from thread_comments c
             where c.organization_key = item.organization_key and c.resource_key = t.resource_key
               and c.annotation_id = item.annotation_id and c.comment_id = (n.value ->> 'commentId')::bigint limit 1
          ) c
      ) taken
  ),
  accepted as materialized (select * from named where outcome = 'ok'),
  comment as materialized (
    select a.organization_key, a.api_key_id, a.resource_key, a.annotation_id, a.ord, c.position::int,
           (c.value ->> 'commentId')::bigint as comment_id, a.comments_written + c.position::int as written_position,
           c.value -> 'content' as content, (c.value ->> 'bytes')::int as bytes,
           coalesce((c.value ->> 'createdAt')::timestamptz, clock.now) as created_at,
           coalesce((c.value ->> 'lastUpdated')::timestamptz, clock.now) as last_updated,
           jsonb_strip_nulls(jsonb_build_object('notify', c.value -> 'notify')) as asked
      from accepted a cross join clock cross join lateral jsonb_array_elements(a.comments) with ordinality as c(value, position)
  ),
  written as (
    insert into thread_comments (organization_key, api_key_id, resource_key, annotation_id, comment_id, position, created_at, last_updated, content, bytes)
    select organization_key, api_key_id, resource_key, annotation_id, comment_id, written_position, created_at, last_updated, content, bytes
      from comment order by organization_key, resource_key, annotation_id, comment_id
  ),
  named_user as materialized (
    select a.organization_key, a.resource_key, a.annotation_id, u.value ->> 'userId' as user_id,
           u.value ->> 'subscription' as subscription, nullif(u.value -> 'contact', 'null') as contact,
           case when (u.value ->> 'seenThrough')::int > 0 and known.seen_through >= a.last_position
                then a.comments_written + (u.value ->> 'seenThrough')::int else 0 end as seen_through
      from accepted a cross join lateral jsonb_array_elements(a.users) as u(value)
      left join lateral (
        select k.seen_through from thread_users k
         where k.organization_key = a.organization_key and k.resource_key = a.resource_key
           and k.annotation_id = a.annotation_id and k.user_id = u.value ->> 'userId' limit 1
      ) known on true
  ),
  users_written as (
    insert into thread_users as k (organization_key, resource_key, annotation_id, user_id, subscription, contact, seen_through)
    select * from named_user order by organization_key, resource_key, annotation_id, user_id
    on conflict (organization_key, resource_key, annotation_id, user_id) do update
       set subscription = coalesce(k.subscription, excluded.subscription), contact = coalesce(excluded.contact, k.contact),
           seen_through = greatest(k.seen_through, excluded.seen_through)
  ),
  moved_on as (
    update threads t
       set last_updated = clock.now, comments_written = a.comments_written + a.added, last_position = a.comments_written + a.added,
           comment_count = t.comment_count + a.added, bytes = t.bytes + a.bytes,
           mentioned_user_ids = case when a.mentioned = '[]' then t.mentioned_user_ids else (
             select array_agg(id order by nth)
               from (select id, min(nth) as nth
                       from unnest(a.mentioned_user_ids || json_texts(a.mentioned)) with ordinality as m(id, nth)
                      group by id) each_user) end
      from accepted a cross join clock where t.ctid = a.row
  ),
  event as (
    select a.organization_key, c.ord * 10000 + c.position as position, 'comment.added' as type, 'document'::resource_kind as resource_kind,
           a.document_id as resource_id, c.content -> 'from' ->> 'userId' as user_id, a.actor, null::jsonb as before,
           jsonb_build_object('annotationId', c.annotation_id, 'commentId', c.comment_id) || c.asked as after
      from comment c join accepted a on a.ord = c.ord
  ),
  ${RECORD_EVENTS}
  select req, outcome, taken, migrated_to as "migratedTo" from named order by ord`,
)

/**
 * Returns the comments of thread `$3` of document `$2` of organization `$1`: those `$4` by the authors `$5`; null: all. Named comments
 * are found by key, however many the thread has.
 */
export const LIST_COMMENTS = statement<StoredComment>(
  'comments.get',
  /* sql */ `
  select c.comment_id::float8 as "commentId", c.content, (extract(epoch from c.created_at) * 1000)::float8 as "createdAt",
         (extract(epoch from c.last_updated) * 1000)::float8 as "lastUpdated"
    from (
      select c.* from thread_comments c
       where c.organization_key = $1 and c.resource_key = $2::uuid and c.annotation_id = $3 and $4::bigint[] is null
      union all
      select c.* from (select distinct id from unnest($4::bigint[]) as asked (id)) asked
       cross join lateral (
          select c.* from thread_comments c
           where c.organization_key = $1 and c.resource_key = $2::uuid and c.annotation_id = $3 and c.comment_id = asked.id limit 1
        ) c
    ) c
   where ($5::text[] is null or c.author_id = any($5::text[]))
   order by c.position`,
)

/** Returns whether there is thread `$3` on document `$2` of organization `$1`. */
export const FIND_THREAD = statement<object>(
  'comments.find-thread',
  'select from threads where organization_key = $1 and resource_key = $2::uuid and annotation_id = $3',
)
