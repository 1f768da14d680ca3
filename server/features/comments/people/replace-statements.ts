/** SQL that reads those of the selected threads that name some users, and writes the threads with other users. */
import type { OrganizationKey } from '#contract/core/ids.ts'
import { LIMITS } from '#contract/core/limits.ts'
import { setStatement, statement } from '#platform/db/statement.ts'
import type { Actor } from '#tenancy/callers/caller.ts'
import { RECORD_EVENTS } from '#tenancy/events/record.ts'
import type { CommentContent, Contact, ThreadContent } from '../content.ts'
import { CHANGED_COMMENTS, THREADS_MAX } from './statements.ts'

/** Threads of one document. */
export interface ChosenThreads {
  organizationKey: OrganizationKey
  resourceKey: string
  documentId: string
  actor: Actor
  ids: readonly string[]
}

export interface NamingThread {
  annotationId: string
  content: ThreadContent
  comments: { commentId: number; bytes: number; content: CommentContent }[]
}

/** Returns the threads among `$3` of document `$2` of organization `$1` that name one of the users `$4`, after `$5`. */
export const FIND_CHOSEN_NAMING = statement<NamingThread>(
  'threads.find-chosen-naming',
  /* sql */ `
  with named as materialized (
    select asked.annotation_id from unnest($3::text[]) as asked (annotation_id)
     where asked.annotation_id > $5::text collate "C"
       and exists (select from unnest($4::text[]) as old (user_id)
                    cross join lateral (
                      select u.user_id from thread_users u
                       where u.organization_key = $1 and u.resource_key = $2::uuid and u.annotation_id = asked.annotation_id
                         and u.user_id = old.user_id limit 1
                    ) u)
     order by asked.annotation_id collate "C" limit ${THREADS_MAX}
  ),
  sized as materialized (
    select t.*, sum(t.bytes) over (order by t.annotation_id rows between unbounded preceding and 1 preceding) as bytes_before
      from named n
     cross join lateral (
        select t.* from threads t
         where t.organization_key = $1 and t.resource_key = $2::uuid and t.annotation_id = n.annotation_id limit 1
      ) t
  )
  select t.annotation_id as "annotationId", t.content,
         (select jsonb_agg(jsonb_build_object('commentId', c.comment_id, 'bytes', c.bytes, 'content', c.content) order by c.position)
            from thread_comments c
           where c.organization_key = $1 and c.resource_key = $2::uuid and c.annotation_id = t.annotation_id) as comments
    from sized t
   where coalesce(t.bytes_before, 0) < ${LIMITS.threadBytesMax}
   order by t.annotation_id`,
)

/** The data of a thread about a user. */
export interface NamedUserJson {
  userId: string
  subscription: string | null
  isManual: boolean
  contact: Contact | null
  seenThrough: number
  seenAt: Date | null
}

/** Deletes what threads `$3` of document `$2` of organization `$1` have of users `$4`, and returns it. */
export const TAKE_USERS = statement<NamedUserJson & { annotationId: string }>(
  'threads.take-users',
  /* sql */ `
  with found as materialized (
    select u.ctid as row from unnest($3::text[]) as asked (annotation_id) cross join unnest($4::text[]) as named (user_id)
     cross join lateral (
        select u.ctid from thread_users u
         where u.organization_key = $1 and u.resource_key = $2::uuid and u.annotation_id = asked.annotation_id
           and u.user_id = named.user_id limit 1
      ) u
  )
  delete from thread_users u using found f where u.ctid = f.row
  returning u.annotation_id as "annotationId", u.user_id as "userId", u.subscription, u.is_manual as "isManual", u.contact,
            u.seen_through as "seenThrough", u.seen_at as "seenAt"`,
)

export interface RenamedThreadRow extends Omit<ChosenThreads, 'ids'> {
  annotationId: string
  content: string
  /** The changed comments: `commentId`, `content` and `bytes`. */
  comments: string
  users: string
  mentioned: string
  bytes: number
}

/** Writes threads with other users. Runs under the lock of the organization; joins by `ctid`, which cannot change under it. */
export const WRITE_RENAMED_THREADS = setStatement<RenamedThreadRow, never>(
  'threads.write-renamed',
  {
    organizationKey: 'uuid',
    resourceKey: 'uuid',
    documentId: 'text',
    annotationId: 'text',
    content: 'jsonb',
    comments: 'jsonb',
    users: 'jsonb',
    mentioned: 'jsonb',
    bytes: 'int',
    actor: 'jsonb',
  },
  /* sql */ `
  with clock as materialized (select date_trunc('milliseconds', coalesce($now, clock_timestamp())) as now),
  named as materialized (
    select item.*, t.row, case when t.row is not null then 'ok' end as outcome
      from $input
      left join lateral (
        select t.ctid as row from threads t
         where t.organization_key = item.organization_key and t.resource_key = item.resource_key
           and t.annotation_id = item.annotation_id limit 1
      ) t on true
  ),
  thread as materialized (select * from named where outcome = 'ok'),
  ${CHANGED_COMMENTS},
  written as (
    update threads t
       set content = n.content, mentioned_user_ids = json_texts(n.mentioned), bytes = n.bytes, last_updated = clock.now
      from thread n cross join clock where t.ctid = n.row
  ),
  users_written as (
    insert into thread_users (organization_key, resource_key, annotation_id, user_id, subscription, is_manual, contact, seen_through, seen_at)
    select t.organization_key, t.resource_key, t.annotation_id, u.value ->> 'userId', u.value ->> 'subscription',
           (u.value ->> 'isManual')::boolean, nullif(u.value -> 'contact', 'null'), (u.value ->> 'seenThrough')::int,
           (u.value ->> 'seenAt')::timestamptz
      from thread t cross join lateral jsonb_array_elements(t.users) as u(value)
     order by t.organization_key, t.resource_key, t.annotation_id, u.value ->> 'userId'
  ),
  event as (
    select organization_key, ord as position, 'thread.updated' as type, 'document'::resource_kind as resource_kind,
           document_id as resource_id, null::text as user_id, actor, null::jsonb as before,
           jsonb_build_object('annotationId', annotation_id, 'fields', '["users"]'::jsonb) as after
      from thread
  ),
  ${RECORD_EVENTS}
  select null where false`,
)
