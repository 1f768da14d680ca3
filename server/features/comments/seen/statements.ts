/** The SQL statements of what users have seen of threads. */
import { statement } from '#platform/db/statement.ts'
import { isPublicThread, isVisibleTo } from '#tenancy/thread-visibility.ts'

export interface CountRow {
  documentId: string
  total: number
  unread: number
}

const OF_DOCUMENT = /* sql */ `t.organization_key = $1 and t.resource_key = asked.resource_key
           and ($4::text[] is null or t.status_id = any($4::text[]))`
const COUNTED = /* sql */ `${OF_DOCUMENT}
           and ${isVisibleTo('t', '$3::text')}`

/**
 * Counts, for user `$3`, the visible threads of documents `$2` of organization `$1` with one of the statuses `$4`; null: any. A user
 * has usually seen few of the threads, so the seen ones are looked up by key, and all others count as unread. Public threads are counted in
 * an index alone.
 */
export const COUNT_THREADS = statement<CountRow>(
  'threads.count',
  /* sql */ `
  with asked as materialized (
    select asked.id, d.resource_key from (select distinct id from unnest($2::text[]) as asked (id)) asked
      left join lateral (
        select r.resource_key from resources r
         where r.organization_key = $1 and r.kind = 'document' and r.id = asked.id limit 1
      ) d on true
  )
  select asked.id as "documentId", visible.count as total, visible.count - seen.count as unread
    from asked
   cross join lateral (
      select (select count(*)::int from threads t where ${OF_DOCUMENT} and ${isPublicThread('t')})
             + (select count(*)::int from threads t where ${isPublicThread('t')} is not true and ${COUNTED}) as count
   ) visible
   cross join lateral (
      select count(*)::int as count
        from (
          select u.annotation_id, u.seen_through from thread_users u
           where u.organization_key = $1 and u.user_id = $3::text and u.resource_key = asked.resource_key and u.seen_through > 0 offset 0
        ) u
       cross join lateral (
          select from threads t
           where ${COUNTED}
             and t.annotation_id = u.annotation_id and t.last_position <= u.seen_through limit 1
       ) t
   ) seen`,
)

/**
 * Marks threads `$3` of document `$2` of organization `$1` as seen by user `$4`, up to comment `$5` or, if it is null,
 * to the last. Returns the existing threads, with that comment. Runs under the lock of the organization, so the time tells
 * whether a comment was changed before or after.
 */
export const SEE_THREADS = statement<{ annotationId: string }>(
  'threads.read',
  /* sql */ `
  insert into thread_users as k (organization_key, resource_key, annotation_id, user_id, seen_through, seen_at)
  select t.organization_key, t.resource_key, t.annotation_id, $4::text, coalesce(c.position, t.last_position), coalesce($now, clock_timestamp())
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
  do update set seen_through = greatest(k.seen_through, excluded.seen_through),
                seen_at = case when excluded.seen_through >= k.seen_through then excluded.seen_at else k.seen_at end
  returning annotation_id as "annotationId"`,
)
