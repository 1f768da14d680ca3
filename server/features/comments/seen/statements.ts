/** The SQL statements of what users have seen of threads. */
import { statement } from '#platform/db/statement.ts'
import { isVisibleTo } from '#tenancy/thread-visibility.ts'

export interface CountRow {
  documentId: string
  total: number
  unread: number
}

/** Counts, for user `$3`, the visible threads of documents `$2` of organization `$1` with one of the statuses `$4`; null: any. */
export const COUNT_THREADS = statement<CountRow>(
  'threads.count',
  /* sql */ `
  with asked as materialized (
    select asked.id, d.resource_key from (select distinct id from unnest($2::text[]) as asked (id)) asked
      left join lateral (
        select r.resource_key from resources r
         where r.organization_key = $1 and r.kind = 'document' and r.id = asked.id limit 1
      ) d on true
  ),
  visible as materialized (
    select t.* from asked
     cross join lateral (
        select t.resource_key, t.annotation_id, t.last_position from threads t
         where t.organization_key = $1 and t.resource_key = asked.resource_key and ($4::text[] is null or t.status_id = any($4::text[]))
           and ${isVisibleTo('t', '$3::text')} offset 0
     ) t
  ),
  -- All that the user has seen on a document is read at once: a look-up for each thread takes longer than the rest.
  seen as materialized (
    select u.* from asked
     cross join lateral (
        select u.resource_key, u.annotation_id, u.seen_through from thread_users u
         where u.organization_key = $1 and u.user_id = $3::text and u.resource_key = asked.resource_key offset 0
     ) u
  )
  select asked.id as "documentId", count(t.annotation_id)::int as total,
         count(t.annotation_id) filter (where coalesce(u.seen_through, 0) < t.last_position)::int as unread
    from asked
    left join visible t on t.resource_key = asked.resource_key
    left join seen u on u.resource_key = t.resource_key and u.annotation_id = t.annotation_id
   group by asked.id`,
)

/**
 * Marks threads `$3` of document `$2` of organization `$1` as seen by user `$4`, up to comment `$5` or, if it is null, to the last. Returns
 * the threads that there are, with that comment. Runs under the lock of the organization.
 */
export const SEE_THREADS = statement<{ annotationId: string }>(
  'threads.read',
  /* sql */ `
  insert into thread_users as k (organization_key, resource_key, annotation_id, user_id, seen_through)
  select t.organization_key, t.resource_key, t.annotation_id, $4::text, coalesce(c.position, t.last_position)
    from (select distinct id from unnest($3::text[]) as asked (id)) asked
   cross join lateral (
      select t.organization_key, t.resource_key, t.annotation_id, t.last_position from threads t
       where t.organization_key = $1 and t.resource_key = $2::uuid and t.annotation_id = asked.id limit 1
   ) t
    left join lateral (
      select c.position from thread_comments c
       where c.organization_key = $1 and c.resource_key = $2::uuid and c.annotation_id = asked.id and c.comment_id = $5::bigint limit 1
   ) c on true
   where $5::bigint is null or c.position is not null
   order by t.organization_key, t.resource_key, t.annotation_id
  on conflict (organization_key, resource_key, annotation_id, user_id)
  do update set seen_through = greatest(k.seen_through, excluded.seen_through)
  returning annotation_id as "annotationId"`,
)
