/** SQL of comments to be mailed: their recipients, and the mails in which they are collected (rules/comments.md#mails-about-comments). */
import type { ApiKeyId, OrganizationKey } from '#contract/core/ids.ts'
import { onlyUserOf } from '#features/comments/shared.ts'
import { setStatement, statement } from '#platform/db/statement.ts'
import { leasedRows } from '#platform/jobs/leased-rows.ts'
import { CARRIER, type Carrier } from '../statements.ts'

export interface MailingJob {
  organizationKey: OrganizationKey
  mailingId: string
}

export const MAILING_JOBS = leasedRows<MailingJob>({
  name: 'comment-mailings',
  table: 'comment_mailings',
  key: { organizationKey: 'organization_key', mailingId: 'mailing_id' },
  tenant: 'api_key_id',
  retrySeconds: { first: 2, longest: 600 },
})

/** A window of the settings of a key (rules/keys.md#notifications-and-activities). */
interface Batch {
  isEnabled?: boolean
  batchWindowSeconds?: number
  maxActivities?: number
}

/** A comment that is mailed. */
interface MailedComment {
  apiKeyId: ApiKeyId
  organizationKey: OrganizationKey
  resourceKey: string
  annotationId: string
  commentId: number
  actionType: string
  /** When the change was made that the mail is about; null: it is about the comment itself. */
  changedAt: Date | null
}

export interface MailingRow extends MailedComment {
  resumeAfter: string
  /** The only recipient, who has replaced another user; null: everybody whom the comment involves. */
  onlyUserId: string | null
  /** Null: the key has switched its e-mail service off meanwhile. */
  carrier: Carrier | null
  batches: { document?: Batch; user?: Batch } | null
  now: Date
}

/** Returns and locks a comment to be mailed, with the present settings of its key. */
export const GET_MAILING = statement<MailingRow>(
  'comment-mails.get-mailing',
  /* sql */ `
  select m.api_key_id as "apiKeyId", m.organization_key as "organizationKey", m.resource_key as "resourceKey",
         m.annotation_id as "annotationId", m.comment_id::float8 as "commentId", m.action_type as "actionType", m.changed_at as "changedAt",
         m.resume_after as "resumeAfter", ${onlyUserOf('m')} as "onlyUserId",
         k.carrier, k.batches, coalesce($now, clock_timestamp()) as now
    from comment_mailings m
    left join lateral (
      select ${CARRIER} as carrier,
             k.notification_config #> '{notificationServiceConfig,batchConfig}' as batches
        from api_keys k where k.api_key_id = m.api_key_id and k.use_email_service limit 1
    ) k on true
   where m.organization_key = $1 and m.mailing_id = $2 for update of m`,
)

export const DELETE_MAILING = statement<never>(
  'comment-mails.delete-mailing',
  `delete from comment_mailings where organization_key = $1 and mailing_id = $2`,
)

/** Continues after user `$3`. */
export const RESUME_MAILING = statement<never>(
  'comment-mails.resume-mailing',
  `update comment_mailings set resume_after = $3 where organization_key = $1 and mailing_id = $2`,
)

export interface CollectedRow extends MailedComment {
  carrier: Carrier
  userId: string
  /** When the daily mail of the user is sent; null: the user wants mails at once. */
  dayAt: Date | null
  /** The windows; null: there is none. */
  documentSeconds: number | null
  userSeconds: number | null
}

/**
 * Collects a comment for its recipients, each at most once: in the open mails of the document and of the organization,
 * which are created if there are none, or in the daily mail; without any window, in a mail of its own. The profiles are
 * locked: an erasure of the user waits, and then finds the mail. Users without an address are skipped. A change of a
 * comment that waits already is a reason of its own for users who know the text before it: they have seen it, or were sent it
 * just now. Others get the comment as it is when the mail is sent. An open mail closes no later than a new one would: the clock may have
 * been set back since.
 */
export const COLLECT = setStatement<CollectedRow, never>(
  'comment-mails.collect',
  {
    apiKeyId: 'text',
    organizationKey: 'uuid',
    resourceKey: 'uuid',
    annotationId: 'text',
    commentId: 'bigint',
    actionType: 'text',
    changedAt: 'timestamptz',
    carrier: 'text',
    userId: 'text',
    dayAt: 'timestamptz',
    documentSeconds: 'int',
    userSeconds: 'int',
  },
  /* sql */ `
  with clock as materialized (select clock_timestamp() as now),
  person as materialized (
    select u.api_key_id, u.user_id, u.profile->>'email' as email from users u
     where (u.api_key_id, u.user_id) in (select item.api_key_id, item.user_id from $input) and u.profile ? 'email'
     order by u.api_key_id, u.user_id for key share
  ),
  wanted as materialized (
    select item.*, p.email from $input join person p on p.api_key_id = item.api_key_id and p.user_id = item.user_id
  ),
  collecting as materialized (
    select w.*, mail.of_user, mail.collects, mail.due_at
      from wanted w cross join clock
     cross join lateral (
        select true as of_user, 'day' as collects, w.day_at as due_at where w.day_at is not null
        union all
        select false, 'document ' || w.resource_key, now + make_interval(secs => w.document_seconds)
         where w.day_at is null and w.document_seconds is not null
        union all
        select true, 'user', now + make_interval(secs => w.user_seconds) where w.day_at is null and w.user_seconds is not null
        union all
        select false, 'comment ' || w.resource_key || ' ' || w.annotation_id || ' ' || w.comment_id, now
         where w.day_at is null and w.document_seconds is null and w.user_seconds is null
     ) mail
  ),
  opened as (
    insert into mails (api_key_id, kind, carrier, user_id, recipient, stream, sequences, collects, created_at, due_at)
    select api_key_id, 'comment', carrier, user_id, email, organization_key, '{}', collects, due_at, due_at
      from collecting order by api_key_id, user_id, collects
    on conflict (api_key_id, kind, stream, user_id, collects) where claims = 0
    do update set recipient = excluded.recipient, created_at = least(mails.created_at, excluded.created_at), due_at = least(mails.due_at, excluded.due_at)
    returning mail_id, user_id, collects
  )
  insert into comment_mail_items as i (organization_key, resource_key, annotation_id, comment_id, user_id, action_type, changed_at, document_mail_id,
                                       user_mail_id)
  select c.organization_key, c.resource_key, c.annotation_id, c.comment_id, c.user_id, min(c.action_type), max(c.changed_at),
         (array_agg(o.mail_id) filter (where not c.of_user))[1], (array_agg(o.mail_id) filter (where c.of_user))[1]
    from collecting c join opened o on o.user_id = c.user_id and o.collects = c.collects
   group by c.organization_key, c.resource_key, c.annotation_id, c.comment_id, c.user_id
   order by c.organization_key, c.resource_key, c.annotation_id, c.comment_id, c.user_id
  on conflict (organization_key, resource_key, annotation_id, comment_id, user_id) do update
     set action_type = excluded.action_type, changed_at = excluded.changed_at, mail_id = null,
         document_mail_id = excluded.document_mail_id, user_mail_id = excluded.user_mail_id
   where excluded.changed_at is not null
     and (exists (select from mails m where m.mail_id = i.mail_id and m.handed_over_at is not null)
          or exists (select from thread_comments s
                      cross join lateral (
                        select from thread_users u
                         where u.organization_key = s.organization_key and u.resource_key = s.resource_key and u.annotation_id = s.annotation_id
                           and u.user_id = excluded.user_id and u.seen_through >= s.position limit 1
                      ) u
                      where s.organization_key = excluded.organization_key and s.resource_key = excluded.resource_key
                        and s.annotation_id = excluded.annotation_id and s.comment_id = excluded.comment_id))`,
)

export interface FullRow {
  apiKeyId: ApiKeyId
  organizationKey: OrganizationKey
  resourceKey: string
  userId: string
  /** How many comments a mail collects; null: there is no such window. */
  documentMax: number | null
  userMax: number | null
}

/** Makes the open mails of users due that have collected as many comments as they may. Joins by `ctid`: `COLLECT` has locked the rows. */
export const CLOSE_FULL = setStatement<FullRow, never>(
  'comment-mails.close-full',
  {
    apiKeyId: 'text',
    organizationKey: 'uuid',
    resourceKey: 'uuid',
    userId: 'text',
    documentMax: 'int',
    userMax: 'int',
  },
  /* sql */ `
  with clock as materialized (select clock_timestamp() as now),
  full_mail as materialized (
    select m.row from $input
     cross join lateral (
        select 'document ' || item.resource_key as collects, item.document_max as most where item.document_max is not null
        union all
        select 'user', item.user_max where item.user_max is not null
     ) asked
     cross join lateral (
        select m.ctid as row, m.mail_id from mails m
         where m.api_key_id = item.api_key_id and m.kind = 'comment' and m.stream = item.organization_key and m.user_id = item.user_id
           and m.collects = asked.collects and m.claims = 0 limit 1
     ) m
     where (select count(*) from (
              select from comment_mail_items i
               where i.organization_key = item.organization_key and i.user_id = item.user_id and i.mail_id is null
                 and (i.document_mail_id = m.mail_id or i.user_mail_id = m.mail_id) limit asked.most) collected) >= asked.most
  )
  update mails m set created_at = clock.now, due_at = clock.now
    from full_mail f cross join clock where m.ctid = f.row and m.due_at > clock.now`,
)
