/** The SQL statements that decide what the user of a call may do with threads and comments. */
import { setStatement, statement } from '#platform/db/statement.ts'
import { isMember } from '#tenancy/grants.ts'
import { isVisibleTo } from '#tenancy/thread-visibility.ts'

/**
 * Returns the threads among `$3` on document `$2` of organization `$1` that are visible to user `$4`, and whether the
 * user is the author.
 */
export const FIND_VISIBLE_THREADS = statement<{ annotationId: string; isOwn: boolean }>(
  'threads.find-visible',
  /* sql */ `
  select t.annotation_id as "annotationId", t.author_id = $4::text as "isOwn"
    from (select distinct id from unnest($3::text[]) as asked (id)) asked
   cross join lateral (
      select t.* from threads t
       where t.organization_key = $1 and t.resource_key = $2::uuid and t.annotation_id = asked.id limit 1
    ) t
   where ${isVisibleTo('t', '$4::text')}`,
)

/** Returns the comments among `$4` of thread `$3` on document `$2` of organization `$1` that another user than `$5` has written. */
export const FIND_COMMENTS_OF_OTHERS = statement<{ commentId: number }>(
  'comments.find-of-others',
  /* sql */ `
  select c.comment_id::float8 as "commentId"
    from (select distinct id from unnest($4::bigint[]) as asked (id)) asked
   cross join lateral (
      select c.comment_id, c.author_id from thread_comments c
       where c.organization_key = $1 and c.resource_key = $2::uuid and c.annotation_id = $3::text and c.comment_id = asked.id limit 1
    ) c
   where c.author_id is distinct from $5::text`,
)

/** Returns the organizations of which a user is a member, by a live grant. */
export const FIND_MEMBERSHIPS = setStatement<{ organizationKey: string; userId: string }, { organizationKey: string }>(
  'threads.find-memberships',
  { organizationKey: 'uuid', userId: 'text' },
  /* sql */ `
  select item.organization_key as "organizationKey"
    from $input
   where ${isMember('item.organization_key', 'item.user_id')}
   order by item.ord`,
)
