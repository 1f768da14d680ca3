/** SQL that reads the state of mails about comments (rules/comments.md#delivery). */
import { onlyUserOf } from '#features/comments/shared.ts'
import { statement } from '#platform/db/statement.ts'
import { CARRIER, type Carrier } from '../statements.ts'
import type { MailingRow } from './collect-statements.ts'
import type { MailOutcome } from './result-statements.ts'

/** Returns how a key sends mails about comments; `carrier` is null while it sends none. */
export const GET_MAIL_SETTINGS = statement<{ carrier: Carrier | null; batches: MailingRow['batches'] }>(
  'comment-mails.get-settings',
  /* sql */ `
  select case when k.use_email_service then ${CARRIER} end as carrier,
         k.notification_config #> '{notificationServiceConfig,batchConfig}' as batches
    from api_keys k where k.api_key_id = $1`,
)

export interface DelayedRow {
  resourceKey: string
  documentId: string
  annotationId: string
  commentId: number
  actionType: string
  changedAt: Date | null
  /** The only recipient; null: everybody whom the comment involves. */
  onlyUserId: string | null
  until: Date
  now: Date
}

const DELAYED = /* sql */ `
  select m.resource_key as "resourceKey", d.id as "documentId", m.annotation_id as "annotationId", m.comment_id::float8 as "commentId",
         m.action_type as "actionType", m.changed_at as "changedAt", ${onlyUserOf('m')} as "onlyUserId", m.due_at as until,
         coalesce($now, clock_timestamp()) as now`

const DOCUMENT = /* sql */ `
   cross join lateral (
      select d.id from resources d where d.organization_key = m.organization_key and d.resource_key = m.resource_key limit 1
    ) d`

/** Returns the last `$4` comments of thread `$3` on document `$2` of organization `$1` that wait for their delay. */
export const LIST_DELAYED_OF_THREAD = statement<DelayedRow>(
  'comment-mails.list-delayed-of-thread',
  /* sql */ `${DELAYED}
    from (select m.* from comment_mailings m
           where m.organization_key = $1 and m.resource_key = $2 and m.annotation_id = $3
           order by m.due_at desc, m.mailing_id limit $4::int) m ${DOCUMENT.trim()}
   order by m.due_at desc, m.mailing_id`,
)

/** Returns the last `$3` comments of organization `$2` that wait for their delay, among the last `$4` of API key `$1`. */
export const LIST_DELAYED = statement<DelayedRow>(
  'comment-mails.list-delayed',
  /* sql */ `${DELAYED}
    from (select m.* from comment_mailings m
           where m.api_key_id = $1 and m.finished_at is null
           order by m.due_at desc limit $4::int) m ${DOCUMENT.trim()}
   where m.organization_key = $2
   order by m.due_at desc, m.mailing_id limit $3::int`,
)

export interface StateRow {
  documentId: string
  resourceKey: string
  annotationId: string
  commentId: number
  userId: string
  createdAt: Date
  /** Null: it waits for a mail. */
  outcome: MailOutcome | null
  /** When that mail is due, and what it collects; null: there is no such mail any more. */
  until: Date | null
  collects: string | null
  at: Date | null
}

/** The mail for which comment `i` waits: the one that has taken it, or the first of two to be due. */
const MAIL = /* sql */ `
      left join lateral (
        select m.due_at, m.collects from unnest(case when i.mail_id is null then array[i.document_mail_id, i.user_mail_id] else array[i.mail_id] end) as asked (mail_id)
         cross join lateral (select m.due_at, m.collects from mails m where m.mail_id = asked.mail_id limit 1) m
         order by m.due_at limit 1
      ) m on true`

/** Whether comment `r` waits again, because it was changed. */
const WAITS_AGAIN = /* sql */ `exists (
           select from comment_mail_items i
            where i.organization_key = r.organization_key and i.resource_key = r.resource_key and i.annotation_id = r.annotation_id
              and i.comment_id = r.comment_id and i.user_id = r.user_id)`

/**
 * Returns `$7` states of thread `$3` on document `$2` of organization `$1`, the newest comment first and then by user,
 * after position `$4` and user `$5`; only those of user `$6` unless it is null.
 */
export const LIST_STATES_OF_THREAD = statement<StateRow & { position: number }>(
  'comment-mails.list-states-of-thread',
  /* sql */ `
  select d.id as "documentId", c.resource_key as "resourceKey", c.annotation_id as "annotationId", c.comment_id::float8 as "commentId",
         c.created_at as "createdAt", c.position, x.user_id as "userId", x.outcome, x.due_at as until, x.collects, x.finished_at as at
    from thread_comments c
   cross join lateral (
      select d.id from resources d where d.organization_key = c.organization_key and d.resource_key = c.resource_key limit 1
    ) d
   cross join lateral (
      select i.user_id, null::text as outcome, m.due_at, m.collects, null::timestamptz as finished_at
        from comment_mail_items i ${MAIL.trim()}
       where i.organization_key = c.organization_key and i.resource_key = c.resource_key and i.annotation_id = c.annotation_id
         and i.comment_id = c.comment_id and ($6::text is null or i.user_id = $6::text)
      union all
      select r.user_id, r.outcome, null, null, r.finished_at
        from comment_mail_results r
       where r.organization_key = c.organization_key and r.resource_key = c.resource_key and r.annotation_id = c.annotation_id
         and r.comment_id = c.comment_id and ($6::text is null or r.user_id = $6::text) and not ${WAITS_AGAIN}
    ) x
   where c.organization_key = $1 and c.resource_key = $2 and c.annotation_id = $3
     and (c.position < $4::int or c.position = $4::int and x.user_id > $5::text)
   order by c.position desc, x.user_id limit $7::int`,
)

/** Returns `$7` states of user `$2` in organization `$1`, the newest comment first, after `$3`, `$4`, `$5` and `$6`. */
export const LIST_STATES_OF_USER = statement<StateRow>(
  'comment-mails.list-states-of-user',
  /* sql */ `
  select d.id as "documentId", x.resource_key as "resourceKey", x.annotation_id as "annotationId", x.comment_id::float8 as "commentId",
         c.created_at as "createdAt", x.user_id as "userId", x.outcome, x.due_at as until, x.collects, x.finished_at as at
    from (
      select i.organization_key, i.resource_key, i.annotation_id, i.comment_id, i.user_id, null::text as outcome, m.due_at, m.collects,
             null::timestamptz as finished_at
        from comment_mail_items i ${MAIL.trim()}
       where i.organization_key = $1 and i.user_id = $2
      union all
      select r.organization_key, r.resource_key, r.annotation_id, r.comment_id, r.user_id, r.outcome, null, null, r.finished_at
        from comment_mail_results r
       where r.organization_key = $1 and r.user_id = $2 and not ${WAITS_AGAIN}
    ) x
   cross join lateral (
      select c.created_at from thread_comments c
       where c.organization_key = x.organization_key and c.resource_key = x.resource_key and c.annotation_id = x.annotation_id
         and c.comment_id = x.comment_id limit 1
    ) c
   cross join lateral (
      select d.id from resources d where d.organization_key = x.organization_key and d.resource_key = x.resource_key limit 1
    ) d
   where (c.created_at, x.resource_key, x.annotation_id, x.comment_id) < ($3::timestamptz, $4::uuid, $5::text, $6::bigint)
   order by c.created_at desc, x.resource_key desc, x.annotation_id desc, x.comment_id desc limit $7::int`,
)
