/**
 * Queues comments to be mailed, in the transaction that writes them; the mail feature takes them from there
 * (rules/comments.md#mails-about-comments, ADR 0056).
 */
import type { OrganizationKey } from '#contract/core/ids.ts'
import type { UserRef } from '#contract/users/user-refs.ts'
import type { Session } from '#platform/db/db.ts'
import { setStatement, statement } from '#platform/db/statement.ts'
import { isTriggerOn, WRITTEN_COMMENT_COLUMNS, type WrittenCommentRow } from '#tenancy/comment-triggers.ts'

/**
 * Queues comments, unless the key has the e-mail service or the trigger off, or a resolver keeps the text elsewhere. They are due after
 * the delay of the key.
 */
export const QUEUE_COMMENTS = setStatement<WrittenCommentRow, never>(
  'comment-mails.queue',
  WRITTEN_COMMENT_COLUMNS,
  /* sql */ `
  insert into comment_mailings (api_key_id, organization_key, resource_key, annotation_id, comment_id, action_type, changed_at, due_at)
  select item.api_key_id, item.organization_key, d.resource_key, item.annotation_id, item.comment_id, item.short_word,
         case when item.short_word = 'updated' then coalesce($now, clock_timestamp()) end,
         clock_timestamp() + make_interval(secs => case when (key.delay ->> 'isEnabled')::boolean then (key.delay ->> 'delaySeconds')::float8 else 0 end)
    from $input
   cross join lateral (
      select d.resource_key from resources d
       where d.organization_key = item.organization_key and d.kind = 'document' and d.id = item.document_id limit 1
    ) d
   cross join lateral (
      select c.content from thread_comments c
       where c.organization_key = item.organization_key and c.resource_key = d.resource_key
         and c.annotation_id = item.annotation_id and c.comment_id = item.comment_id limit 1
    ) c
   cross join lateral (
      select k.email_service_config #> '{triggers,comment}' as triggers,
             k.notification_config #> '{notificationServiceConfig,delayConfig}' as delay
        from api_keys k where k.api_key_id = item.api_key_id and k.use_email_service limit 1
    ) key
   where ${isTriggerOn('key.triggers')} and coalesce(c.content ->> 'isCommentResolverUsed', 'false') <> 'true'
   order by item.organization_key, d.resource_key, item.annotation_id, item.comment_id`,
)

/** Queues the comments, which `session` has written. Their recipients are decided when the mails are sent. */
export async function mailComments(session: Session, comments: readonly WrittenCommentRow[]): Promise<void> {
  if (comments.length > 0) await session.runSet(QUEUE_COMMENTS, comments)
}

/** Before the only recipient in `resume_after`: greater than all users, so a server that does not know of it finds nobody. */
const ONLY = 'chr(1114111)'

/** SQL: the only recipient of mailing `m`, a user who has replaced another one; null: everybody whom the comment involves. */
export const onlyUserOf = (m: string): string =>
  `case when starts_with(${m}.resume_after, ${ONLY}) then substr(${m}.resume_after, 2) end`

/** Waits for servers that collect comments of threads `$3` of document `$2` of organization `$1`: what they collect is then visible. */
export const HOLD_MAILINGS = statement<never>(
  'comment-mails.hold',
  /* sql */ `
  select null from unnest($3::text[]) as asked (annotation_id)
   cross join lateral (
      select null from comment_mailings m
       where m.organization_key = $1 and m.resource_key = $2::uuid and m.annotation_id = asked.annotation_id
       order by m.comment_id, m.mailing_id offset 0 for update
    ) held`,
)

/**
 * Queues, for each of users `$5` who replaces the one of `$4`, the comments of these threads that wait to be mailed to the
 * old user, or that a server would have collected for the old user next, and is past the new one.
 */
export const QUEUE_REPLACED = statement<never>(
  'comment-mails.queue-replaced',
  /* sql */ `
  with pair as materialized (
    select pair.old_id, pair.new_id from unnest($4::text[], $5::text[]) as pair (old_id, new_id)
  ),
  waiting as (
    select i.annotation_id, i.comment_id, i.action_type, i.changed_at, pair.new_id
      from pair cross join unnest($3::text[]) as asked (annotation_id)
     cross join lateral (
        select i.* from comment_mail_items i
         where i.organization_key = $1 and i.resource_key = $2::uuid and i.annotation_id = asked.annotation_id and i.user_id = pair.old_id
           and (i.mail_id is null or (select m.handed_over_at is null from mails m where m.mail_id = i.mail_id limit 1)) offset 0
     ) i
    union all
    select m.annotation_id, m.comment_id, m.action_type, m.changed_at, pair.new_id
      from unnest($3::text[]) as asked (annotation_id)
     cross join lateral (
        select m.*, ${onlyUserOf('m')} as only_user_id from comment_mailings m
         where m.organization_key = $1 and m.resource_key = $2::uuid and m.annotation_id = asked.annotation_id offset 0
     ) m
      join pair on case when m.only_user_id is null then pair.old_id collate "C" > m.resume_after and pair.new_id collate "C" <= m.resume_after
                        else pair.old_id = m.only_user_id end
  )
  insert into comment_mailings (api_key_id, organization_key, resource_key, annotation_id, comment_id, action_type, changed_at, resume_after, due_at)
  select o.api_key_id, $1, $2::uuid, w.annotation_id, w.comment_id, min(w.action_type), max(w.changed_at), ${ONLY} || w.new_id, clock_timestamp()
    from waiting w
   cross join lateral (select o.api_key_id from organizations o where o.organization_key = $1 limit 1) o
   group by o.api_key_id, w.annotation_id, w.comment_id, w.new_id
   order by w.annotation_id, w.comment_id, w.new_id`,
)

/** Queues for new users what waits to be mailed to the old ones, under the lock of the organization. */
export async function mailReplaced(
  session: Session,
  threads: { organizationKey: OrganizationKey; resourceKey: string; ids: readonly string[] },
  others: ReadonlyMap<string, UserRef>,
): Promise<void> {
  const { organizationKey, resourceKey, ids } = threads
  const named = [organizationKey, resourceKey, ids]
  await session.run(HOLD_MAILINGS, named)
  await session.run(QUEUE_REPLACED, [...named, [...others.keys()], [...others.values()].map(({ userId }) => userId)])
}
