/** The SQL statements that read stored threads, notifications and activities, each in an order that is the same in every copy. */
import { LIMITS } from '#contract/core/limits.ts'
import type { NotificationLevel } from '#contract/notifications/preferences.ts'
import type { UserRef } from '#contract/users/user-refs.ts'
import { statement } from '#platform/db/statement.ts'
import { withinPage } from '#tenancy/page-bytes.ts'
import { OF_DELETED_THREAD } from '#tenancy/thread-visibility.ts'

const MILLISECONDS = (column: string): string => `floor(extract(epoch from ${column}) * 1000)::float8`

/** An export has the document `d` of a row: it was added, or grants or invitations declare it again (rules/data.md#declared). */
const IS_EXPORTED = /* sql */ `(d.added_at is not null
           or exists (select from grants g where g.organization_key = d.organization_key and g.resource_key = d.resource_key)
           or exists (select from invitations i where i.organization_key = d.organization_key and i.resource_key = d.resource_key))`

const documentOf = (row: string): string => /* sql */ `
  cross join lateral (
     select d.* from resources d
      where d.organization_key = ${row}.organization_key and d.resource_key = ${row}.resource_key limit 1
   ) d`

export interface StoredCommentRow {
  commentId: number
  position: number
  createdAt: number
  lastUpdated: number
  content: object
}

interface StoredThreadUserRow {
  userId: string
  subscription: 'subscribed' | 'unsubscribed' | null
  isManual: boolean
  contact: UserRef | null
  seenThrough: number
  seenAt: number | null
}

export interface StoredThreadRow {
  annotationId: string
  documentId: string
  createdAt: number
  lastUpdated: number
  commentsWritten: number
  content: object
  comments: StoredCommentRow[]
  users: StoredThreadUserRow[]
  hasNext: boolean
}

/**
 * Lists the threads of organization `$1` after the id `$2` on document `$3`, `$4` at most. The page ends by their sizes
 * before any comment is read.
 */
export const LIST_STORED_THREADS = statement<StoredThreadRow>(
  'comment-data.list-threads',
  /* sql */ `
  with page as materialized (
    select t.*, d.id as document_id
      from threads t ${documentOf('t')}
     where t.organization_key = $1 and t.created_at >= '-infinity' and t.annotation_id >= $2 and (t.annotation_id, d.id) > ($2, $3)
     order by t.annotation_id, d.id limit $4::int
  ),
  sized as (
    select page.*, lead(true) over following is not null as has_next,
           sum(bytes) over (order by annotation_id, document_id rows between unbounded preceding and 1 preceding) as bytes_before
      from page window following as (order by annotation_id, document_id)
  )
  select t.annotation_id as "annotationId", t.document_id as "documentId", t.has_next as "hasNext", t.content,
         ${MILLISECONDS('t.created_at')} as "createdAt", ${MILLISECONDS('t.last_updated')} as "lastUpdated",
         t.comments_written as "commentsWritten",
         coalesce((select jsonb_agg(jsonb_build_object('commentId', c.comment_id, 'position', c.position, 'content', c.content,
                            'createdAt', ${MILLISECONDS('c.created_at')}, 'lastUpdated', ${MILLISECONDS('c.last_updated')})
                            order by c.position, c.comment_id)
                     from thread_comments c
                    where c.organization_key = t.organization_key and c.resource_key = t.resource_key
                      and c.annotation_id = t.annotation_id), '[]') as comments,
         coalesce((select jsonb_agg(jsonb_build_object('userId', u.user_id, 'subscription', u.subscription, 'isManual', u.is_manual,
                            'contact', u.contact, 'seenThrough', u.seen_through, 'seenAt', ${MILLISECONDS('u.seen_at')}) order by u.user_id)
                     from thread_users u
                    where u.organization_key = t.organization_key and u.resource_key = t.resource_key
                      and u.annotation_id = t.annotation_id), '[]') as users
    from sized t
   where coalesce(t.bytes_before, 0) < ${LIMITS.pageBytesMax}
   order by t.annotation_id, t.document_id`,
)

export interface StoredNotificationRow {
  notificationId: string
  documentId: string
  timestamp: number
  notificationSource: string
  actionType: string | null
  targetAnnotationId: string | null
  targetCommentId: number | null
  notifyAll: boolean
  requiresAccess: boolean
  content: object
  hasNext: boolean
}

/** Lists the notifications of organization `$1` after the id `$2`, `$4` at most; `$3` is not used. */
export const LIST_STORED_NOTIFICATIONS = statement<StoredNotificationRow>(
  'comment-data.list-notifications',
  withinPage(
    /* sql */ `
  select n.notification_id as "notificationId", d.id as "documentId", ${MILLISECONDS('n.notified_at')} as timestamp,
         n.notification_source as "notificationSource", n.action_type as "actionType", n.target_annotation_id as "targetAnnotationId",
         n.target_comment_id::float8 as "targetCommentId", n.notifies_all as "notifyAll", n.requires_access as "requiresAccess", n.content
    from notifications n ${documentOf('n')}
   where n.organization_key = $1 and n.notification_id > $2 and $3::text is not null and ${IS_EXPORTED}
   order by n.notification_id limit $4::int`,
    'content',
  ),
)

export interface StoredRecipientRow {
  notificationId: string
  userId: string
  isNamed: boolean
  email: string | null
  readAt: number | null
  isHidden: boolean
}

/** Lists the recipients of notifications of organization `$1` after the user `$2` of notification `$3`, `$4` at most. */
export const LIST_STORED_RECIPIENTS = statement<StoredRecipientRow>(
  'comment-data.list-recipients',
  /* sql */ `
  select r.notification_id as "notificationId", r.user_id as "userId", r.is_named as "isNamed", r.email,
         ${MILLISECONDS('r.read_at')} as "readAt", r.is_hidden as "isHidden"
    from notification_recipients r
   cross join lateral (
      select n.organization_key, n.resource_key from notifications n
       where n.organization_key = r.organization_key and n.notification_id = r.notification_id limit 1
    ) n ${documentOf('n')}
   where r.organization_key = $1 and (r.user_id, r.notification_id) > ($2, $3) and ${IS_EXPORTED}
   order by r.user_id, r.notification_id limit $4::int`,
)

export interface StoredPreferenceRow {
  userId: string
  /** Empty: of the organization. */
  documentId: string
  config: Record<string, NotificationLevel>
}

/**
 * Lists the preferences of organization `$1` after the user `$2` on document `$3`, `$4` at most. The level of `email` of a user who has
 * unsubscribed from mails is `NONE` in all of them.
 */
export const LIST_STORED_PREFERENCES = statement<StoredPreferenceRow>(
  'comment-data.list-preferences',
  /* sql */ `
  select p.user_id as "userId", d.document_id as "documentId",
         case when unsubscribed.is_mail_off and (d.kind <> 'document' or p.channels ? 'email') then p.channels || '{"email": "NONE"}' else p.channels end as config
    from notification_preferences p
   cross join lateral (
      select d.*, case d.kind when 'document' then d.id else '' end as document_id from resources d
       where d.organization_key = p.organization_key and d.resource_key = p.resource_key limit 1
    ) d
    left join lateral (
      select u.is_mail_off from notification_preferences u
       where u.organization_key = p.organization_key and u.resource_key = p.organization_key and u.user_id = p.user_id limit 1
    ) unsubscribed on true
   where p.organization_key = $1 and p.user_id >= $2 and (p.user_id, d.document_id) > ($2, $3) and ${IS_EXPORTED}
     and (p.channels <> '{}' or unsubscribed.is_mail_off and d.kind <> 'document')
   order by p.user_id, d.document_id limit $4::int`,
)

export interface StoredActivityRow {
  id: string
  documentId: string
  timestamp: number
  featureType: string
  actionType: string
  targetEntityId: string | null
  targetSubEntityId: string | null
  immutable: boolean
  isOfPrivateThread: boolean
  content: object
  hasNext: boolean
}

/** Lists the activities of organization `$1` after the id `$2`, `$4` at most; `$3` is not used. */
export const LIST_STORED_ACTIVITIES = statement<StoredActivityRow>(
  'comment-data.list-activities',
  withinPage(
    /* sql */ `
  select a.activity_id as id, d.id as "documentId", ${MILLISECONDS('a.recorded_at')} as timestamp, a.feature_type as "featureType",
         a.action_type as "actionType", a.target_entity_id as "targetEntityId", a.target_sub_entity_id as "targetSubEntityId",
         a.is_immutable as immutable, ${OF_DELETED_THREAD} as "isOfPrivateThread", a.content
    from activities a ${documentOf('a')}
   where a.organization_key = $1 and a.activity_id > $2 and $3::text is not null and ${IS_EXPORTED}
   order by a.activity_id limit $4::int`,
    'content',
  ),
)

/** Returns the documents `$2` of organization `$1`, added or declared. */
export const FIND_DOCUMENTS_OF_DATA = statement<{ documentId: string; resourceKey: string; isAdded: boolean }>(
  'comment-data.find-documents',
  /* sql */ `
  select d.id as "documentId", d.resource_key as "resourceKey", d.added_at is not null as "isAdded"
    from unnest($2::text[]) as asked (id)
   cross join lateral (
      select d.* from resources d
       where d.organization_key = $1 and d.kind = 'document' and d.id = asked.id limit 1
    ) d`,
)
