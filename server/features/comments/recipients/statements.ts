/** The SQL statement that decides who is notified of a comment on a channel (rules/comments.md#recipients). */
import type { OrganizationKey } from '#contract/core/ids.ts'
import { decided } from '#features/permissions/shared.ts'
import { setStatement } from '#platform/db/statement.ts'
import { isMember } from '#tenancy/grants.ts'
import { isVisibleTo } from '#tenancy/thread-visibility.ts'

/** How many users a page has. */
export const RECIPIENTS_PAGE = 1_000

export interface CommentRow {
  organizationKey: OrganizationKey
  resourceKey: string
  annotationId: string
  /** Null if the notification concerns the thread itself, which nobody has seen and which mentions nobody. */
  commentId: number | null
  /** It notifies of a change of the comment, which nobody has seen by having seen the comment before. */
  isChange: boolean
  /** When the change was made; null: unknown, so nobody has seen it. */
  changedAt: Date | null
  /** The user who acted, and is not notified. Null: the author of the comment. */
  actorId: string | null
  channel: string
  /** The level of users who have set none for the channel. */
  defaultLevel: string
  /** The last user of the page before; empty: the first page. */
  afterUserId: string
  /** The only user to decide about, involved or not. Null: everybody involved. */
  onlyUserId: string | null
}

export type RecipientReason = 'mention' | 'reply' | 'all'
/** Why an involved user is not notified. */
export type LeftOut = 'no_access' | 'disabled' | 'not_visible' | 'unsubscribed' | 'level' | 'seen'

export interface RecipientRow {
  /** The place of the comment among the rows. */
  index: number
  userId: string
  reason: RecipientReason
  /** Null: the user is notified. */
  leftOut: LeftOut | null
  level: string
  /** Whether the only user to decide about is a member of the organization now; null: nobody asked. */
  isMember: boolean | null
  /** The levels that the user has set for the organization and for the document; null: none. */
  organizationChannels: Record<string, string> | null
  documentChannels: Record<string, string> | null
  /** As the profile knows the user; the address of a profile only, because anybody can name any address inline. */
  name: string | null
  email: string | null
  timezone: string | null
}

/** The condition of the index of users whose level of some channel is `ALL`. */
const TOLD_OF_ALL = `p.channels @? '$.* ? (@ == "ALL")'`

/**
 * Returns a page of the users whom each comment involves, in the order of their ids: those who follow the thread or
 * have muted it, its assignee, and those whose level of the channel is `ALL`. A comment that does not exist has none.
 * Each user is decided as of the time of the statement. The only user to decide about, who would get a mail, has no
 * access once the user's erasure has begun. The triggers for erasures refuse the rows of other channels.
 */
export const LIST_RECIPIENTS = setStatement<CommentRow, RecipientRow>(
  'comment-recipients.list',
  {
    organizationKey: 'uuid',
    resourceKey: 'uuid',
    annotationId: 'text',
    commentId: 'bigint',
    isChange: 'boolean',
    changedAt: 'timestamptz',
    actorId: 'text',
    channel: 'text',
    defaultLevel: 'text',
    afterUserId: 'text',
    onlyUserId: 'text',
  },
  /* sql */ `
  with commented as materialized (
    select item.*, t.author_id, t.visibility, t.visibility_user_ids, t.visibility_organization_keys, t.access_context, t.assigned_to, c.position,
           coalesce(c.mentioned, '{}') as mentioned, coalesce(item.actor_id, c.author_id, '') as acting_id, d.id as document_id,
           o.api_key_id, o.organization_id, k.default_access_type, k.default_access_role
      from $input
     cross join lateral (
        select t.* from threads t
         where t.organization_key = item.organization_key and t.resource_key = item.resource_key and t.annotation_id = item.annotation_id limit 1
      ) t
      left join lateral (
        select c.position, c.author_id, json_texts(jsonb_path_query_array(c.content, '$.taggedUserContacts[*].userId')) as mentioned
          from thread_comments c
         where c.organization_key = item.organization_key and c.resource_key = item.resource_key
           and c.annotation_id = item.annotation_id and c.comment_id = item.comment_id limit 1
      ) c on true
     cross join lateral (
        select d.id from resources d where d.organization_key = item.organization_key and d.resource_key = item.resource_key limit 1
      ) d
     cross join lateral (select o.api_key_id, o.organization_id from organizations o where o.organization_key = item.organization_key limit 1) o
     cross join lateral (
        select k.default_access_type, k.default_access_role from api_keys k where k.api_key_id = o.api_key_id limit 1
      ) k
     where item.comment_id is null or c.position is not null
  ),
  question as materialized (
    select t.organization_key, 'document'::resource_kind as kind, t.document_id as resource_id, involved.user_id,
           t.default_access_type, t.default_access_role, null::access_role as at_least, t.ord as comment_ord
      from commented t
     cross join lateral (
        select each_user.user_id from (
          (select u.user_id from thread_users u
            where u.organization_key = t.organization_key and u.resource_key = t.resource_key and u.annotation_id = t.annotation_id
              and t.only_user_id is null and u.user_id > t.after_user_id and (u.subscription is not null or u.user_id = t.assigned_to) and u.user_id <> t.acting_id
            order by u.user_id limit ${RECIPIENTS_PAGE})
          union
          (select p.user_id from notification_preferences p
            where p.organization_key = t.organization_key and p.resource_key = t.resource_key
              and t.only_user_id is null and p.user_id > t.after_user_id and ${TOLD_OF_ALL} and p.channels ->> t.channel = 'ALL' and p.user_id <> t.acting_id
            order by p.user_id limit ${RECIPIENTS_PAGE})
          union
          (select p.user_id from notification_preferences p
            where p.organization_key = t.organization_key and p.resource_key = t.organization_key
              and t.only_user_id is null and p.user_id > t.after_user_id and ${TOLD_OF_ALL} and p.channels ->> t.channel = 'ALL' and p.user_id <> t.acting_id
            order by p.user_id limit ${RECIPIENTS_PAGE})
          union
          (select t.only_user_id where t.only_user_id <> t.acting_id)
        ) each_user
        order by each_user.user_id limit ${RECIPIENTS_PAGE}
      ) involved
  ),
  ${decided('question item').trim()},
  concerned as (
    select d.comment_ord, d.user_id, d.allowed, d.reason as decision, u.subscription, coalesce(u.seen_through, 0) >= t.position and (not t.is_change or coalesce(u.seen_at > t.changed_at and u.seen_at <= (select now from clock), false)) as is_seen,
           ${isVisibleTo('t', 'd.user_id').trim()} as is_visible,
           case when t.only_user_id is not null then ${isMember('t.organization_key', 'd.user_id')} end as is_member,
           t.only_user_id is not null and is_being_erased(t.api_key_id, t.organization_id, d.user_id) as is_being_erased,
           case when d.user_id = any(t.mentioned) then 'mention' when u.subscription = 'subscribed' then 'reply' else 'all' end as why,
           case when t.channel = 'email' and of_organization.is_mail_off then 'NONE'
                else coalesce(of_document.channels ->> t.channel, of_organization.channels ->> t.channel, t.default_level) end as level,
           of_organization.channels as organization_channels, of_document.channels as document_channels,
           coalesce(p.profile ->> 'name', u.contact ->> 'name') as name, p.profile ->> 'email' as email,
           p.profile ->> 'timezone' as timezone
      from decided d
      join commented t on t.ord = d.comment_ord
      left join lateral (
        select u.subscription, u.seen_through, u.seen_at, u.contact from thread_users u
         where u.organization_key = t.organization_key and u.resource_key = t.resource_key
           and u.annotation_id = t.annotation_id and u.user_id = d.user_id limit 1
      ) u on true
      left join lateral (
        select p.channels from notification_preferences p
         where p.organization_key = t.organization_key and p.resource_key = t.resource_key and p.user_id = d.user_id limit 1
      ) of_document on true
      left join lateral (
        select p.channels, p.is_mail_off from notification_preferences p
         where p.organization_key = t.organization_key and p.resource_key = t.organization_key and p.user_id = d.user_id limit 1
      ) of_organization on true
      left join lateral (
        select p.profile from users p where p.api_key_id = t.api_key_id and p.user_id = d.user_id limit 1
      ) p on true
  )
  select (comment_ord - 1)::int as index, user_id as "userId", why as reason,
         case when decision = 'user_disabled' then 'disabled'
              when not allowed then 'no_access'
              when is_being_erased then 'no_access'
              when not is_visible then 'not_visible'
              when subscription = 'unsubscribed' then 'unsubscribed'
              when level = 'NONE' or level <> 'ALL' and why = 'all' then 'level'
              when is_seen then 'seen' end as "leftOut",
         level, is_member as "isMember", organization_channels as "organizationChannels", document_channels as "documentChannels", name, email, timezone
    from concerned order by comment_ord, user_id`,
)
