/** SQL that reads the threads that name some users, and writes them with other people, or without them. */
import type { OrganizationKey } from '#contract/core/ids.ts'
import { LIMITS } from '#contract/core/limits.ts'
import { setStatement } from '#platform/db/statement.ts'
import type { Actor } from '#tenancy/callers/caller.ts'
import { RECORD_EVENTS } from '#tenancy/events/record.ts'
import { visibilityInEvents } from '#tenancy/thread-visibility.ts'
import type { CommentContent, ThreadContent } from '../content.ts'
import { onlyUserOf } from '../mailings.ts'

/** One transaction changes no more threads, and no more bytes of them than a thread may have. */
export const THREADS_MAX = 200

export interface NamingThread {
  organizationKey: OrganizationKey
  resourceKey: string
  annotationId: string
  documentId: string
  content: ThreadContent
  /** The size of the thread, by which the list ends early. */
  bytes: number
  /** The requested users whom the thread names. */
  userIds: string[]
  comments: { commentId: number; position: number; bytes: number; content: CommentContent }[]
}

/** Returns threads that name the users, at most `THREADS_MAX`. */
export const FIND_NAMING_THREADS = setStatement<{ organizationKey: OrganizationKey; userId: string }, NamingThread>(
  'threads.find-naming',
  { organizationKey: 'uuid', userId: 'text' },
  /* sql */ `
  with named as materialized (
    select u.organization_key, u.resource_key, u.annotation_id, array_agg(u.user_id) as user_ids
      from $input
     cross join lateral (
        select u.* from thread_users u
         where u.organization_key = item.organization_key and u.user_id = item.user_id
         order by u.resource_key, u.annotation_id limit ${THREADS_MAX}
      ) u
     group by u.organization_key, u.resource_key, u.annotation_id
     order by u.organization_key, u.resource_key, u.annotation_id limit ${THREADS_MAX}
  ),
  sized as materialized (
    select n.user_ids, t.*, sum(t.bytes) over (order by t.organization_key, t.resource_key, t.annotation_id
                                                rows between unbounded preceding and 1 preceding) as bytes_before
      from named n
     cross join lateral (
        select t.* from threads t
         where t.organization_key = n.organization_key and t.resource_key = n.resource_key and t.annotation_id = n.annotation_id limit 1
      ) t
  )
  select t.organization_key as "organizationKey", t.resource_key as "resourceKey", t.annotation_id as "annotationId",
         d.id as "documentId", t.content, t.bytes, t.user_ids as "userIds",
         (select jsonb_agg(jsonb_build_object('commentId', c.comment_id, 'position', c.position, 'bytes', c.bytes, 'content', c.content))
            from thread_comments c
           where c.organization_key = t.organization_key and c.resource_key = t.resource_key
             and c.annotation_id = t.annotation_id) as comments
    from sized t
   cross join lateral (
      select d.id from resources d
       where d.organization_key = t.organization_key and d.resource_key = t.resource_key limit 1
    ) d
   where coalesce(t.bytes_before, 0) < ${LIMITS.threadBytesMax}
   order by t.organization_key, t.resource_key, t.annotation_id`,
)

export interface RenamedThreadRow {
  organizationKey: OrganizationKey
  resourceKey: string
  annotationId: string
  documentId: string
  /** Null: the thread is deleted. */
  content: string | null
  /** The changed comments: `commentId`, `content` and `bytes`. */
  comments: string
  /** The ids of the deleted comments. */
  deleted: string
  /** The users about whom the thread has no data any more. */
  users: string
  mentioned: string
  lastPosition: number
  commentCount: number
  bytes: number
  /** The pseudonym of the author of the deleted comments, and the job that erases. */
  pseudonym: string
  jobId: string
  actor: Actor
}

/** CTEs that write the changed `comments` of the rows of the CTE `thread`. */
export const CHANGED_COMMENTS = /* sql */ `changed_comment as materialized (
    select c.row, n.value -> 'content' as content, (n.value ->> 'bytes')::int as bytes
      from thread t cross join lateral jsonb_array_elements(t.comments) as n(value)
     cross join lateral (
        select c.ctid as row from thread_comments c
         where c.organization_key = t.organization_key and c.resource_key = t.resource_key
           and c.annotation_id = t.annotation_id and c.comment_id = (n.value ->> 'commentId')::bigint limit 1
      ) c
  ),
  comments_changed as (
    update thread_comments c set content = n.content, bytes = n.bytes from changed_comment n where c.ctid = n.row
  )`

/**
 * Writes threads without some users. Runs under the lock of the organizations; joins by `ctid`, which cannot change under it.
 */
export const WRITE_ERASED_THREADS = setStatement<RenamedThreadRow, never>(
  'user-data.erase-threads',
  {
    organizationKey: 'uuid',
    resourceKey: 'uuid',
    annotationId: 'text',
    documentId: 'text',
    content: 'jsonb',
    comments: 'jsonb',
    deleted: 'jsonb',
    users: 'jsonb',
    mentioned: 'jsonb',
    lastPosition: 'int',
    commentCount: 'int',
    bytes: 'int',
    pseudonym: 'text',
    jobId: 'text',
    actor: 'jsonb',
  },
  /* sql */ `
  with named as materialized (
    select item.*, t.row, t.visibility, case when t.row is not null then 'ok' end as outcome
      from $input
      left join lateral (
        select t.ctid as row, ${visibilityInEvents('t.visibility', 't.access_context')} as visibility from threads t
         where t.organization_key = item.organization_key and t.resource_key = item.resource_key
           and t.annotation_id = item.annotation_id limit 1
      ) t on true
  ),
  thread as materialized (select * from named where outcome = 'ok'),
  ${CHANGED_COMMENTS},
  deleted_comment as materialized (
    select t.ord, c.* from thread t cross join lateral jsonb_array_elements_text(t.deleted) as n(id)
     cross join lateral (
        select c.ctid as comment_row, c.comment_id from thread_comments c
         where c.organization_key = t.organization_key and c.resource_key = t.resource_key
           and c.annotation_id = t.annotation_id and c.comment_id = n.id::bigint limit 1
      ) c
  ),
  forgotten_user as materialized (
    select u.row from thread t cross join lateral jsonb_array_elements_text(t.users) as n(id)
     cross join lateral (
        select u.ctid as row from thread_users u
         where u.organization_key = t.organization_key and u.resource_key = t.resource_key
           and u.annotation_id = t.annotation_id and u.user_id = n.id limit 1
      ) u
  ),
  queued_mail as materialized (
    select m.row from thread t cross join lateral jsonb_array_elements_text(t.users) as n(id)
     cross join lateral (
        select m.ctid as row from comment_mailings m
         where m.organization_key = t.organization_key and m.resource_key = t.resource_key
           and m.annotation_id = t.annotation_id and ${onlyUserOf('m')} = n.id offset 0
      ) m
  ),
  mails_deleted as (delete from comment_mailings m using queued_mail q where m.ctid = q.row),
  users_deleted as (delete from thread_users u using forgotten_user f where u.ctid = f.row),
  comments_deleted as (delete from thread_comments c using deleted_comment d where c.ctid = d.comment_row),
  deleted_threads as (delete from threads t using thread n where t.ctid = n.row and n.content is null),
  changed_threads as (
    update threads t
       set content = n.content, mentioned_user_ids = json_texts(n.mentioned), last_position = n.last_position,
           comment_count = n.comment_count, bytes = n.bytes
      from thread n where t.ctid = n.row and n.content is not null
  ),
  event as (
    select organization_key, ord * 10000 as position,
           case when content is null then 'thread.deleted' else 'thread.updated' end as type,
           'document'::resource_kind as resource_kind, document_id as resource_id, pseudonym as user_id, actor,
           case when content is null
                then jsonb_build_object('annotationId', annotation_id, 'visibility', visibility, 'comments', jsonb_array_length(deleted)) end as before,
           case when content is null then jsonb_build_object('jobId', job_id)
                else jsonb_build_object('annotationId', annotation_id, 'fields', '["users"]'::jsonb, 'jobId', job_id) end as after
      from thread
    union all
    select t.organization_key, t.ord * 10000 + row_number() over (partition by t.ord order by d.comment_id), 'comment.deleted',
           'document', t.document_id, t.pseudonym, t.actor,
           jsonb_build_object('annotationId', t.annotation_id, 'commentId', d.comment_id), jsonb_build_object('jobId', t.job_id)
      from thread t join deleted_comment d on d.ord = t.ord where t.content is not null
  ),
  ${RECORD_EVENTS}
  select null where false`,
)
