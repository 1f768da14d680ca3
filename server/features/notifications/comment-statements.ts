/** The SQL of notifications of comments: adding them, and their recipients (rules/comments.md#notifications-of-comments). */
import type { OrganizationKey } from '#contract/core/ids.ts'
import { setStatement } from '#platform/db/statement.ts'
import { isTriggerOn, WRITTEN_COMMENT_COLUMNS, type WrittenCommentRow } from '#tenancy/comment-triggers.ts'
import { existsSince, isVisibleTo } from '#tenancy/thread-visibility.ts'

export interface CommentNotificationRow extends WrittenCommentRow {
  notificationId: string
  headline: string
}

/** A thread with a comment that notified many users. */
export interface WideThread {
  organizationKey: OrganizationKey
  documentId: string
  annotationId: string
  recipients: number
}

/** How many are many: to name as many recipients takes PostgreSQL ten times as long as the comment. */
const MANY_RECIPIENTS = 100

/**
 * Adds a notification for each comment, unless the key has the service or the trigger off. It names the followers of
 * the thread, without the author. Runs in the transaction that writes the comments, so a notification exists if and
 * only if its comment exists. Returns the threads with many recipients.
 */
export const ADD_COMMENT_NOTIFICATIONS = setStatement<CommentNotificationRow, WideThread>(
  'notifications.add-of-comments',
  { ...WRITTEN_COMMENT_COLUMNS, notificationId: 'text', headline: 'text' },
  /* sql */ `
  with commented as materialized (
    select item.*, t.resource_key, t.location_id, c.author_id, c.author
      from $input
     cross join lateral (
        select t.resource_key, t.location_id from resources d
         cross join lateral (
            select * from threads t
             where t.organization_key = d.organization_key and t.resource_key = d.resource_key and t.annotation_id = item.annotation_id limit 1
         ) t
         where d.organization_key = item.organization_key and d.kind = 'document' and d.id = item.document_id limit 1
     ) t
     cross join lateral (
        select c.author_id, c.content -> 'from' as author from thread_comments c
         where c.organization_key = item.organization_key and c.resource_key = t.resource_key
           and c.annotation_id = item.annotation_id and c.comment_id = item.comment_id limit 1
     ) c
     cross join lateral (
        select k.notification_config #> '{notificationServiceConfig,triggers,comment}' as triggers from api_keys k
         where k.api_key_id = item.api_key_id and (k.notification_config ->> 'useNotificationService')::boolean limit 1
     ) key
     where ${isTriggerOn('key.triggers')}
  ),
  added as (
    insert into notifications (organization_key, notification_id, resource_key, notified_at, notification_source, action_type, actor_id,
                               target_annotation_id, target_comment_id, location_id, notifies_all, requires_access, content)
    select organization_key, notification_id, resource_key, coalesce($now, clock_timestamp()), 'comment', short_word, author_id,
           annotation_id, comment_id, location_id, true, true,
           jsonb_build_object('actionUser', author, 'displayHeadlineMessageTemplate', headline)
      from commented order by organization_key, notification_id
    returning organization_key, resource_key, notification_id, notified_at, target_annotation_id, actor_id
  ),
  named as (
    insert into notification_recipients (organization_key, notification_id, user_id, notified_at, is_named, email)
    select a.organization_key, a.notification_id, u.user_id, a.notified_at, true, u.contact ->> 'email'
      from added a
     cross join lateral (
        select u.user_id, u.contact from thread_users u
         where u.organization_key = a.organization_key and u.resource_key = a.resource_key and u.annotation_id = a.target_annotation_id
           and u.subscription = 'subscribed' and u.user_id <> a.actor_id offset 0
     ) u
     order by a.organization_key, a.notification_id, u.user_id
    returning organization_key, notification_id
  )
  select c.organization_key as "organizationKey", c.document_id as "documentId", c.annotation_id as "annotationId", many.recipients
    from (
      select organization_key, notification_id, count(*)::int as recipients from named
       group by organization_key, notification_id having count(*) >= ${MANY_RECIPIENTS}
    ) many
    join commented c on c.organization_key = many.organization_key and c.notification_id = many.notification_id`,
)

/**
 * Joins the thread of notification `n` with its comment, and whether it is for `user`, whom it names or not
 * (`r.is_named`): the thread is visible to the user, who is not its author, has not unsubscribed from it, and has a
 * level of the inbox that includes it. A thread with an access context is for nobody, because a call has no context
 * with which it could be compared. A user who has seen the comment has not seen a later change of it. An imported
 * notification that names no comment is for the users who see the thread, unless that is a later thread with the same
 * id.
 */
export const joinComment = (user: string): string => /* sql */ `
        left join lateral (
          select t.content as thread, c.content as comment, c.created_at, n.action_type <> 'updated' and coalesce(u.seen_through >= c.position, false) as is_seen,
                 ${isVisibleTo('t', user).trim()}
                 and case when n.target_comment_id is null then ${existsSince('t')} <= n.notified_at
                     else c.author_id <> ${user} and u.subscription is distinct from 'unsubscribed' and case coalesce(
                       (select p.channels ->> 'inbox' from notification_preferences p
                         where p.organization_key = n.organization_key and p.resource_key = n.resource_key and p.user_id = ${user} limit 1),
                       (select p.channels ->> 'inbox' from notification_preferences p
                         where p.organization_key = n.organization_key and p.resource_key = n.organization_key and p.user_id = ${user} limit 1),
                       'ALL') when 'ALL' then true when 'MINE' then coalesce(r.is_named, false) else false end end as is_for_user
            from threads t
            left join lateral (
              select * from thread_comments c
               where c.organization_key = t.organization_key and c.resource_key = t.resource_key
                 and c.annotation_id = t.annotation_id and c.comment_id = n.target_comment_id limit 1
            ) c on true
            left join lateral (
              select u.subscription, u.seen_through from thread_users u
               where u.organization_key = t.organization_key and u.resource_key = t.resource_key
                 and u.annotation_id = t.annotation_id and u.user_id = ${user} limit 1
            ) u on true
           where t.organization_key = n.organization_key and t.resource_key = n.resource_key
             and t.annotation_id = n.target_annotation_id limit 1
        ) commented on true`

/** Joins the comment as the user `$9` sees it. */
export const JOIN_COMMENT = joinComment('$9::text')
