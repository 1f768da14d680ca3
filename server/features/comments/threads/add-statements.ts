/** The SQL statement that adds threads with their comments. */
import { setStatement } from '#platform/db/statement.ts'
import type { Actor } from '#tenancy/callers/caller.ts'
import { RECORD_EVENTS } from '#tenancy/events/record.ts'
import { visibilityOf } from '#tenancy/thread-visibility.ts'
import type { RequestRow } from '#tenancy/writes/coalesced.ts'
import { isLocked, type OrganizationRow } from '#tenancy/writes/organization.ts'
import { joinThread, WHEN_NO_DOCUMENT } from '../comments/named.ts'
import type { CommentContent, Contact } from '../content.ts'

/** A comment to be written. The times are ISO 8601; null: now. */
export interface NewCommentJson {
  commentId: number
  createdAt: string | null
  lastUpdated: string | null
  bytes: number
  /** The call asks for a notification, or for an activity. */
  notify?: true
  activity?: true
  content: CommentContent
}

/** A user whom a thread names. */
export interface NewUserJson {
  userId: string
  subscription: 'subscribed' | null
  contact: Contact | null
  seenThrough: number
}

export interface NewThreadRow extends OrganizationRow {
  /** The transaction is known to have locked the organization (`isLocked`). */
  isLocked: boolean
  documentId: string
  annotationId: string
  content: string
  comments: string
  users: string
  mentioned: string
  bytes: number
  createdAt: string | null
  lastUpdated: string | null
  actor: Actor
}

export interface NewThreadOutcome {
  annotationId: string
  outcome: 'ok' | 'organization_does_not_exist' | 'document_does_not_exist' | 'already_exists'
  migratedTo: string | null
}

/**
 * Adds threads to documents that were added, each id of a document at most once, with their comments and the users whom they
 * name. Runs under the lock of the organizations.
 */
export const ADD_THREADS = setStatement<NewThreadRow & RequestRow, NewThreadOutcome & RequestRow>(
  'threads.add',
  {
    req: 'int',
    organizationKey: 'uuid',
    apiKeyId: 'text',
    isLocked: 'boolean',
    documentId: 'text',
    annotationId: 'text',
    content: 'jsonb',
    comments: 'jsonb',
    users: 'jsonb',
    mentioned: 'jsonb',
    bytes: 'int',
    createdAt: 'timestamptz',
    lastUpdated: 'timestamptz',
    actor: 'jsonb',
  },
  /* sql */ `
  with clock as materialized (select date_trunc('milliseconds', coalesce($now, clock_timestamp())) as now),
  named as materialized (
    select item.*, d.resource_key, moved.id as migrated_to,
           case ${WHEN_NO_DOCUMENT}
                when t.row is not null then 'already_exists'
                else 'ok' end as outcome
      from $input ${joinThread(isLocked('item'))}
  ),
  accepted as materialized (select * from named where outcome = 'ok'),
  comment as materialized (
    select a.organization_key, a.api_key_id, a.resource_key, a.annotation_id, a.ord, a.actor, a.content as thread, c.position::int,
           (c.value ->> 'commentId')::bigint as comment_id, c.value -> 'content' as content, (c.value ->> 'bytes')::int as bytes,
           coalesce((c.value ->> 'createdAt')::timestamptz, clock.now) as created_at,
           coalesce((c.value ->> 'lastUpdated')::timestamptz, clock.now) as last_updated,
           jsonb_strip_nulls(jsonb_build_object('notify', c.value -> 'notify', 'activity', c.value -> 'activity')) as asked
      from accepted a cross join clock cross join lateral jsonb_array_elements(a.comments) with ordinality as c(value, position)
  ),
  written as (
    insert into threads (organization_key, resource_key, annotation_id, created_at, last_updated, content, mentioned_user_ids,
                         comments_written, last_position, comment_count, bytes)
    select organization_key, resource_key, annotation_id, coalesce(created_at, clock.now), coalesce(last_updated, clock.now),
           content, json_texts(mentioned), jsonb_array_length(comments), jsonb_array_length(comments),
           jsonb_array_length(comments), bytes
      from accepted cross join clock order by organization_key, resource_key, annotation_id
  ),
  comments_written as (
    insert into thread_comments (organization_key, api_key_id, resource_key, annotation_id, comment_id, position, created_at, last_updated, content, bytes)
    select organization_key, api_key_id, resource_key, annotation_id, comment_id, position, created_at, last_updated, content, bytes
      from comment order by organization_key, resource_key, annotation_id, comment_id
  ),
  users_written as (
    insert into thread_users (organization_key, resource_key, annotation_id, user_id, subscription, contact, seen_through)
    select a.organization_key, a.resource_key, a.annotation_id, u.value ->> 'userId', u.value ->> 'subscription',
           nullif(u.value -> 'contact', 'null'), (u.value ->> 'seenThrough')::int
      from accepted a cross join lateral jsonb_array_elements(a.users) as u(value)
     order by a.organization_key, a.resource_key, a.annotation_id, u.value ->> 'userId'
  ),
  event as (
    select c.organization_key, c.ord * 10000 + c.position as position,
           case c.position when 1 then 'thread.added' else 'comment.added' end as type,
           'document'::resource_kind as resource_kind, a.document_id as resource_id, c.content -> 'from' ->> 'userId' as user_id, c.actor,
           null::jsonb as before,
           jsonb_build_object('annotationId', c.annotation_id, 'commentId', c.comment_id) || c.asked
             || case c.position when 1 then jsonb_strip_nulls(jsonb_build_object(
                  'statusId', c.thread -> 'status' -> 'id', 'priorityId', c.thread -> 'priority' -> 'id',
                  'visibility', ${visibilityOf('c.thread')},
                  'assigned', case when c.thread ? 'assignedTo' then true end))
                else '{}' end as after
      from comment c join accepted a on a.ord = c.ord
  ),
  ${RECORD_EVENTS}
  select req, annotation_id as "annotationId", outcome, migrated_to as "migratedTo" from named order by ord`,
)
