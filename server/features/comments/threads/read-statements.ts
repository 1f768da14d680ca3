/** The SQL statements that read threads with their comments. A page ends by the sizes of its threads before any comment is read. */
import { LIMITS } from '#contract/core/limits.ts'
import { setStatement, statement } from '#platform/db/statement.ts'
import { isVisibleTo } from '#tenancy/thread-visibility.ts'
import type { CommentContent, Contact, ThreadContent } from '../content.ts'

export interface StoredComment {
  commentId: number
  createdAt: number
  lastUpdated: number
  content: CommentContent
}

export interface StoredSubscription {
  userId: string
  state: 'subscribed' | 'unsubscribed'
  isManual: boolean
  contact: Contact | null
}

export interface StoredThread {
  annotationId: string
  resourceKey: string
  documentId: string
  folderId: string | null
  createdAt: Date
  lastUpdated: Date
  content: ThreadContent
  mentionedUserIds: string[]
  comments: StoredComment[]
  subscriptions: StoredSubscription[]
}

export interface ListedThread extends StoredThread {
  matches: boolean
  isScanEnd: boolean
  /** There are more threads, beyond the bytes of a page. */
  hasNext: boolean
}

const MILLISECONDS = (column: string): string => `(extract(epoch from ${column}) * 1000)::bigint`

/** The columns of a StoredThread from a row of `threads` named `t`, with the comments `c` of the given tables. */
export const threadWith = (comments: string): string => /* sql */ `
  t.annotation_id as "annotationId", t.resource_key as "resourceKey", d.id as "documentId", f.id as "folderId",
  t.created_at as "createdAt", t.last_updated as "lastUpdated", t.content, t.mentioned_user_ids as "mentionedUserIds",
  coalesce((select json_agg(json_build_object('commentId', c.comment_id, 'content', c.content,
                     'createdAt', ${MILLISECONDS('c.created_at')}, 'lastUpdated', ${MILLISECONDS('c.last_updated')}) order by c.position)
              from ${comments}), '[]') as comments,
  coalesce((select json_agg(json_build_object('userId', u.user_id, 'state', u.subscription, 'isManual', u.is_manual,
                     'contact', u.contact) order by u.user_id)
              from thread_users u
             where u.organization_key = t.organization_key and u.resource_key = t.resource_key
               and u.annotation_id = t.annotation_id and u.subscription is not null), '[]') as subscriptions`

const COMMENTS = /* sql */ `thread_comments c
             where c.organization_key = t.organization_key and c.resource_key = t.resource_key
               and c.annotation_id = t.annotation_id`

const THREAD = threadWith(COMMENTS)

/** Joins the document `d` of a thread `t`, and its folder `f`. */
export const PLACES = /* sql */ `
 cross join lateral (
    select d.id, d.folder_key from resources d
     where d.organization_key = t.organization_key and d.resource_key = t.resource_key limit 1
  ) d
  left join lateral (
    select f.id from resources f where f.organization_key = t.organization_key and f.resource_key = d.folder_key limit 1
  ) f on true`

/** How many values the filters of a read have. */
export const FILTER_VALUES = 18

/** The filters of a read, as its values from `$first` on; null: not given. */
const filtersFrom = (first: number): string => {
  const value = (nth: number, type: string) => `$${first + nth}::${type}`
  const equals = (nth: number, column: string) =>
    `(${value(nth, 'text')} is null or t.${column} = ${value(nth, 'text')})`
  const among = (nth: number, column: string) =>
    `(${value(nth, 'text[]')} is null or t.${column} = any(${value(nth, 'text[]')}))`
  const before = (nth: number, column: string, operator: string) =>
    `(${value(nth, 'timestamptz')} is null or t.${column} ${operator} ${value(nth, 'timestamptz')})`
  return /* sql */ `${among(0, 'location_id')} and ${among(1, 'author_id')}
           and (${value(2, 'text[]')} is null or t.mentioned_user_ids && ${value(2, 'text[]')})
           and ${equals(3, 'resolved_by')} and ${among(4, 'status_id')} and ${equals(5, 'status_id')}
           and ${before(6, 'last_updated', '>')} and ${before(7, 'last_updated', '<')}
           and ${before(8, 'created_at', '>')} and ${before(9, 'created_at', '<')}
           and ${equals(10, 'agent_id')} and ${equals(11, 'agent_execution_id')}
           and (${value(12, 'text')} is null
                or t.agent_id is not null and (${value(12, 'text')} = 'all' or t.suggestion_status = ${value(12, 'text')}))
           and (${value(13, 'uuid')} is null or exists (
                  select from resources r where r.organization_key = t.organization_key and r.resource_key = t.resource_key
                                            and r.folder_key = ${value(13, 'uuid')}))
           and (${value(14, 'text')} is null or exists (
                  select from (select c.content from thread_comments c
                                where c.organization_key = t.organization_key and c.resource_key = t.resource_key
                                  and c.annotation_id = t.annotation_id offset 0) c
                   where position(search_fold_all(${value(14, 'text')}) in search_fold_all(comment_text(c.content))) > 0))
           and ${among(15, 'status_type')}
           and (${value(16, 'text[]')} is null or t.content -> 'priority' ->> 'id' = any(${value(16, 'text[]')}))
           and ${among(17, 'assigned_to')}`
}

/** Whether the reader sees a thread: the user in parameter `$nth`, or with null a call with an auth token, which sees every one. */
const forReader = (nth: number): string => `($${nth}::text is null or ${isVisibleTo('t', `$${nth}::text`)})`

/** The parameter of the reader of a list: hidden threads are not scanned, so that no page reveals how many there are. */
const READER = 8 + FILTER_VALUES
/** That of a read of named threads. */
const READER_OF_NAMED = 4 + FILTER_VALUES

type Order = 'desc' | 'asc'

/**
 * Returns a statement that lists threads. `scanned` selects the first `$6` threads after the position `$3`, `$4`, `$5`, in order;
 * of these it returns the first `$7` that match, and the last one if the scan ended there.
 */
const listing = (name: string, order: Order, scanned: string) =>
  statement<ListedThread>(
    name,
    /* sql */ `
  with scanned as materialized (${scanned}
  ),
  numbered as (
    select t.*, row_number() over (order by last_updated ${order}, annotation_id ${order}, resource_key ${order}) as nth,
           ${filtersFrom(8)} as matches
      from scanned t
  ),
  found as (
    select * from numbered where matches or nth = $6 order by nth limit $7
  ),
  sized as (
    select found.*, lead(true) over (order by nth) is not null as has_next,
           sum(case when matches then bytes else 0 end) over (order by nth rows between unbounded preceding and 1 preceding) as bytes_before
      from found
  )
  select t.matches, t.nth = $6 as "isScanEnd", t.has_next as "hasNext", ${THREAD}
    from sized t ${PLACES}
   where coalesce(t.bytes_before, 0) < ${LIMITS.pageBytesMax}
   order by t.nth`,
  )

/*
 * The indexes of pages are partial, so only statements that name their condition use them (migration 0029). PostgreSQL 17 removes a
 * test for null that always succeeds, so the condition is a comparison that every time passes: it is at least `-infinity`.
 */

/** Lists the threads of documents `$2` of organization `$1`, which reads no more than `$6` threads of each document. */
const ofDocuments = (order: Order): string => /* sql */ `
    select t.* from unnest($2::uuid[]) as document (resource_key)
     cross join lateral (
        select t.* from threads t
         where t.organization_key = $1 and t.resource_key = document.resource_key and t.last_updated >= '-infinity'
           and (t.last_updated, t.annotation_id) ${order === 'desc' ? '<=' : '>='} ($3::timestamptz, $4::text)
           and (t.last_updated, t.annotation_id, t.resource_key) ${order === 'desc' ? '<' : '>'} ($3::timestamptz, $4::text, $5::uuid)
           and ${forReader(READER)}
         order by t.last_updated ${order}, t.annotation_id ${order} limit $6
      ) t
     order by t.last_updated ${order}, t.annotation_id ${order}, t.resource_key ${order} limit $6`

/** Lists the threads of organization `$1`; `$2` is not used. */
const ofOrganization = (order: Order): string => /* sql */ `
    select t.* from threads t
     where t.organization_key = $1 and t.last_updated >= '-infinity' and $2::uuid[] is null and ${forReader(READER)}
       and (t.last_updated, t.annotation_id, t.resource_key) ${order === 'desc' ? '<' : '>'} ($3::timestamptz, $4::text, $5::uuid)
     order by t.last_updated ${order}, t.annotation_id ${order}, t.resource_key ${order} limit $6`

export const LIST_THREADS_OF_DOCUMENTS = {
  desc: listing('threads.list-of-documents', 'desc', ofDocuments('desc')),
  asc: listing('threads.list-of-documents asc', 'asc', ofDocuments('asc')),
}

export const LIST_THREADS = {
  desc: listing('threads.list', 'desc', ofOrganization('desc')),
  asc: listing('threads.list asc', 'asc', ofOrganization('asc')),
}

/**
 * Returns the threads `$3` of organization `$1` that match and that the reader, the last value, sees, of all documents
 * or of `$2`, as far as they fit in a response.
 */
export const FIND_THREADS = statement<StoredThread & { hasNext: boolean }>(
  'threads.find',
  /* sql */ `
  with found as materialized (
    select t.*, asked.nth
      from unnest($3::text[]) with ordinality as asked (annotation_id, nth)
     cross join lateral (
        select t.* from threads t
         where t.organization_key = $1 and t.annotation_id = asked.annotation_id and t.created_at >= '-infinity' offset 0
      ) t
     where ($2::uuid[] is null or t.resource_key = any($2::uuid[])) and ${filtersFrom(4)} and ${forReader(READER_OF_NAMED)}
  ),
  sized as (
    select found.*, lead(true) over (order by nth, resource_key) is not null as has_next,
           sum(bytes) over (order by nth, resource_key rows between unbounded preceding and 1 preceding) as bytes_before
      from found
  )
  select t.has_next as "hasNext", ${THREAD}
    from sized t ${PLACES}
   where coalesce(t.bytes_before, 0) < ${LIMITS.responseBytesMax}
   order by t.nth, t.resource_key`,
)

/** Returns the keys of those documents that were added, and of the first one that was not, its new id if it was migrated. */
export const FIND_DOCUMENT_KEYS = setStatement<
  { organizationKey: string; documentId: string },
  { resourceKey: string }
>(
  'threads.find-documents',
  { organizationKey: 'uuid', documentId: 'text' },
  /* sql */ `
  select r.resource_key as "resourceKey"
    from $input
   cross join lateral (
      select r.resource_key from resources r
       where r.organization_key = item.organization_key and r.kind = 'document' and r.id = item.document_id limit 1
    ) r
   order by item.ord`,
)

/** Returns the key of folder `$2` of organization `$1`. */
export const FIND_FOLDER_OF_THREADS = statement<{ folderKey: string }>(
  'threads.find-folder',
  /* sql */ `
  select resource_key as "folderKey" from resources
   where organization_key = $1 and kind = 'folder' and id = $2 and added_at is not null`,
)
