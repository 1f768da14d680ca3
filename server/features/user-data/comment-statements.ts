/** SQL that reads what threads, notifications and activities hold about a user. */
import type { ActivityData } from '#contract/comments/stored-data.ts'
import type { ResultOf } from '#contract/core/operation.ts'
import type { NotificationLevel } from '#contract/notifications/preferences.ts'
import type { getUserData } from '#contract/users/user-data.ts'
import type { UserRef } from '#contract/users/user-refs.ts'
import type { StoredComment } from '#features/comments/shared.ts'
import { statement } from '#platform/db/statement.ts'
import { withinPage } from '#tenancy/page-bytes.ts'

type UserThread = ResultOf<typeof getUserData>['threads'][number]

export interface UserCommentRow extends Omit<StoredComment, 'createdAt' | 'lastUpdated' | 'commentId'> {
  resourceKey: string
  documentId: string
  annotationId: string
  commentId: string
  createdAt: Date
  lastUpdated: Date
  hasNext: boolean
}

/** Comments of user `$2` after comment `$5` of thread `$4` of document `$3`, at most `$6`. */
export const LIST_COMMENTS = statement<UserCommentRow>(
  'user-data.comments',
  withinPage(
    /* sql */ `
  select c.resource_key as "resourceKey", d.id as "documentId", c.annotation_id as "annotationId", c.comment_id::text as "commentId",
         c.created_at as "createdAt", c.last_updated as "lastUpdated", c.content
    from (select * from thread_comments
           where organization_key = $1 and author_id = $2
             and (resource_key, annotation_id, comment_id) > ($3::uuid, $4, $5::bigint)
           order by resource_key, annotation_id, comment_id limit $6::int) c
   cross join lateral (
      select d.id from resources d where d.organization_key = $1 and d.resource_key = c.resource_key limit 1
    ) d
   order by c.resource_key, c.annotation_id, c.comment_id`,
    'content',
  ),
)

export interface UserMentionRow {
  resourceKey: string
  documentId: string
  annotationId: string
  commentId: string
  createdAt: number
  content: { contact?: UserRef; text?: string }
  hasNext: boolean
}

/**
 * Comments that mention user `$2` after comment `$5` of thread `$4` of document `$3`, at most `$6`. Each thread after that one which
 * mentions the user has such a comment, so a page needs no more threads than comments.
 */
export const LIST_MENTIONS = statement<UserMentionRow>(
  'user-data.mentions',
  withinPage(
    /* sql */ `
  select c.resource_key as "resourceKey", d.id as "documentId", c.annotation_id as "annotationId", c.comment_id::text as "commentId",
         floor(extract(epoch from c.created_at) * 1000)::float8 as "createdAt", c.content
    from (select c.*
            from (select t.* from thread_users u
                   cross join lateral (
                      select t.resource_key, t.annotation_id from threads t
                       where t.organization_key = $1 and t.resource_key = u.resource_key and t.annotation_id = u.annotation_id
                         and t.mentioned_user_ids @> array[$2] limit 1
                    ) t
                   where u.organization_key = $1 and u.user_id = $2 and (u.resource_key, u.annotation_id) >= ($3::uuid, $4)
                   order by u.resource_key, u.annotation_id limit $6::int + 1) t
           cross join lateral (
              select c.resource_key, c.annotation_id, c.comment_id, c.created_at,
                     jsonb_path_query_first(c.content, '$.taggedUserContacts[*] ? (@.userId == $user)', jsonb_build_object('user', $2)) as content
                from thread_comments c
               where c.organization_key = $1 and c.resource_key = t.resource_key and c.annotation_id = t.annotation_id
                 and (c.resource_key, c.annotation_id, c.comment_id) > ($3::uuid, $4, $5::bigint)
               order by c.comment_id
            ) c
           where c.content is not null
           order by t.resource_key, t.annotation_id, c.comment_id limit $6::int) c
   cross join lateral (
      select d.id from resources d where d.organization_key = $1 and d.resource_key = c.resource_key limit 1
    ) d
   order by c.resource_key, c.annotation_id, c.comment_id`,
    'content',
  ),
)

export interface UserThreadRow {
  resourceKey: string
  documentId: string
  annotationId: string
  namedAs: UserThread['namedAs']
  content: Omit<UserThread, 'documentId' | 'annotationId' | 'namedAs'>
  hasNext: boolean
}

/** Reads the data of threads about user `$2`, after thread `$4` of document `$3`, at most `$5`. */
export const LIST_THREADS = statement<UserThreadRow>(
  'user-data.threads',
  withinPage(
    /* sql */ `
  select u.resource_key as "resourceKey", d.id as "documentId", u.annotation_id as "annotationId",
         array_remove(array[case when t.author_id = $2 then 'author' end, case when t.assigned_to = $2 then 'assignee' end,
                            case when t.mentioned_user_ids @> array[$2] then 'mentioned' end,
                            case when t.visibility_user_ids @> array[$2] then 'visibility' end,
                            case when t.content ->> 'statusUpdatedByUserId' = $2 then 'statusUpdatedBy' end,
                            case when t.resolved_by = $2 then 'resolvedBy' end], null) as "namedAs",
         jsonb_strip_nulls(jsonb_build_object(
           'subscription', u.subscription, 'isManual', nullif(u.is_manual, false), 'contact', u.contact, 'seenThrough', nullif(u.seen_through, 0),
           'seenAt', floor(extract(epoch from u.seen_at) * 1000)::float8)) as content
    from (select * from thread_users
           where organization_key = $1 and user_id = $2 and (resource_key, annotation_id) > ($3::uuid, $4)
           order by resource_key, annotation_id limit $5::int) u
   cross join lateral (
      select t.* from threads t
       where t.organization_key = $1 and t.resource_key = u.resource_key and t.annotation_id = u.annotation_id limit 1
    ) t
   cross join lateral (
      select d.id from resources d where d.organization_key = $1 and d.resource_key = u.resource_key limit 1
    ) d
   order by u.resource_key, u.annotation_id`,
    'content',
  ),
)

export interface UserPreferenceRow {
  resourceKey: string
  /** Null: the organization. */
  documentId: string | null
  config: Record<string, NotificationLevel>
  isUnsubscribed: boolean
}

/** The levels of user `$2` after those for document `$3`, at most `$4`. */
export const LIST_PREFERENCES = statement<UserPreferenceRow>(
  'user-data.preferences',
  /* sql */ `
  select p.resource_key as "resourceKey", d.id as "documentId", p.channels as config, p.is_mail_off as "isUnsubscribed"
    from notification_preferences p
   cross join lateral (
      select case d.kind when 'document' then d.id end as id from resources d
       where d.organization_key = $1 and d.resource_key = p.resource_key limit 1
    ) d
   where p.organization_key = $1 and p.user_id = $2 and p.resource_key > $3::uuid
   order by p.resource_key limit $4::int`,
)

export interface UserActivityRow {
  id: string
  documentId: string
  timestamp: number
  featureType: ActivityData['featureType']
  actionType: string
  targetEntityId: string | null
  targetSubEntityId: string | null
  immutable: boolean
  content: { actionUser: UserRef }
  hasNext: boolean
}

/** Activities of user `$2` after the one of time `$3` and id `$4`, at most `$5`. */
export const LIST_ACTIVITIES = statement<UserActivityRow>(
  'user-data.activities',
  withinPage(
    /* sql */ `
  select a.activity_id as id, d.id as "documentId", floor(extract(epoch from a.recorded_at) * 1000)::float8 as timestamp,
         a.feature_type as "featureType", a.action_type as "actionType", a.target_entity_id as "targetEntityId",
         a.target_sub_entity_id as "targetSubEntityId", a.is_immutable as immutable, a.content
    from (select * from activities
           where organization_key = $1 and actor_id = $2 and (recorded_at, activity_id) > (to_timestamp($3::float8 / 1000), $4)
           order by recorded_at, activity_id limit $5::int) a
   cross join lateral (
      select d.id from resources d where d.organization_key = $1 and d.resource_key = a.resource_key limit 1
    ) d
   order by a.recorded_at, a.activity_id`,
    'content',
  ),
)

export interface UserNotificationRow {
  id: string
  documentId: string
  notificationSource: string
  timestamp: number
  targetAnnotationId: string | null
  isNamed: boolean
  readAt: number | null
  content: { actionUser: UserRef; displayHeadlineMessageTemplate?: string; displayBodyMessage?: string }
  hasNext: boolean
}

/** Notifications of user `$2` after id `$3`, at most `$4`, as they are stored: of a comment they have no text. */
export const LIST_NOTIFICATIONS = statement<UserNotificationRow>(
  'user-data.notifications',
  withinPage(
    /* sql */ `
  select n.notification_id as id, d.id as "documentId", n.notification_source as "notificationSource",
         floor(extract(epoch from n.notified_at) * 1000)::float8 as timestamp, n.target_annotation_id as "targetAnnotationId",
         r.is_named as "isNamed", floor(extract(epoch from r.read_at) * 1000)::float8 as "readAt", n.content
    from (select * from notification_recipients
           where organization_key = $1 and user_id = $2 and notification_id > $3
           order by notification_id limit $4::int) r
   cross join lateral (
      select * from notifications n where n.organization_key = $1 and n.notification_id = r.notification_id limit 1
    ) n
   cross join lateral (
      select d.id from resources d where d.organization_key = $1 and d.resource_key = n.resource_key limit 1
    ) d
   order by n.notification_id`,
    'content',
  ),
)
