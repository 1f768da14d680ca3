/**
 * SQL of the results of comments for their recipients (rules/comments.md#delivery). The comments are locked first, in
 * the order of their keys: a deletion waits, and then finds the written results. Nothing is recorded about comments
 * that are already deleted, or about users who are being erased.
 */
import type { MailLeftOut } from '#contract/comments/mails.ts'
import type { OrganizationKey } from '#contract/core/ids.ts'
import { setStatement, statement } from '#platform/db/statement.ts'
import { deletionOfOld } from '#platform/jobs/old-rows.ts'

/** The columns of a comment and a recipient. */
const KEY = 'organization_key, resource_key, annotation_id, comment_id, user_id'

/** Writes the rows of `finished`, which have an outcome. */
const RECORD = /* sql */ `
  insert into comment_mail_results (${KEY}, outcome)
  select f.organization_key, f.resource_key, f.annotation_id, f.comment_id, f.user_id, f.outcome
    from finished f
   cross join lateral (
      select o.api_key_id, o.organization_id from organizations o where o.organization_key = f.organization_key limit 1
    ) o
   where not is_being_erased(o.api_key_id, o.organization_id, f.user_id)
   order by ${KEY}
  on conflict (${KEY}) do update set outcome = excluded.outcome, finished_at = excluded.finished_at`

/** The result of a comment for a user. */
export type MailOutcome = 'sent' | 'failed' | MailLeftOut

export interface ResultRow {
  organizationKey: OrganizationKey
  resourceKey: string
  annotationId: string
  commentId: number
  userId: string
  outcome: MailOutcome
}

const RESULT_COLUMNS = {
  organizationKey: 'uuid',
  resourceKey: 'uuid',
  annotationId: 'text',
  commentId: 'bigint',
  userId: 'text',
  outcome: 'text',
} as const

const HELD = /* sql */ `
  held as materialized (
    select c.organization_key, c.resource_key, c.annotation_id, c.comment_id from thread_comments c
     where (c.organization_key, c.resource_key, c.annotation_id, c.comment_id) in
           (select item.organization_key, item.resource_key, item.annotation_id, item.comment_id from $input)
     order by c.organization_key, c.resource_key, c.annotation_id, c.comment_id for key share
  )`

/** Returns a row if user `$5` was mailed the comment. */
export const FIND_SENT = statement<{ userId: string }>(
  'comment-mails.find-sent',
  /* sql */ `
  select user_id as "userId" from comment_mail_results
   where organization_key = $1 and resource_key = $2 and annotation_id = $3 and comment_id = $4 and user_id = $5 and outcome = 'sent'`,
)

/** Records why users whom a comment involves are not collected. */
export const RECORD_LEFT_OUT = setStatement<ResultRow, never>(
  'comment-mails.record-left-out',
  RESULT_COLUMNS,
  /* sql */ `
  with ${HELD.trim()},
  finished as (
    select item.organization_key, item.resource_key, item.annotation_id, item.comment_id, item.user_id, item.outcome
      from $input join held using (organization_key, resource_key, annotation_id, comment_id)
  )
  ${RECORD.trim()}`,
)

/** The result of a comment that a mail has taken. */
export interface MailResultRow extends ResultRow {
  mailId: string
}

/**
 * Records the results of collected comments, and ends their waiting. A comment that has been collected again, because it
 * was changed, waits for another mail.
 */
export const FINISH_ITEMS = setStatement<MailResultRow, never>(
  'comment-mails.finish-items',
  { ...RESULT_COLUMNS, mailId: 'uuid' },
  /* sql */ `
  with ${HELD.trim()},
  finished as (
    delete from comment_mail_items i using $input join held using (organization_key, resource_key, annotation_id, comment_id)
     where i.organization_key = item.organization_key and i.resource_key = item.resource_key and i.annotation_id = item.annotation_id
       and i.comment_id = item.comment_id and i.user_id = item.user_id and i.mail_id = item.mail_id
    returning i.organization_key, i.resource_key, i.annotation_id, i.comment_id, i.user_id, item.outcome
  )
  ${RECORD.trim()}`,
)

/** The same for all comments of mail `$1` to user `$3` in organization `$2`; `$4` is the outcome. */
export const FINISH_ALL_ITEMS = statement<never>(
  'comment-mails.finish-all-items',
  /* sql */ `
  with item as materialized (
    select ${KEY} from comment_mail_items where organization_key = $2 and user_id = $3 and mail_id = $1
  ),
  held as materialized (
    select c.organization_key, c.resource_key, c.annotation_id, c.comment_id from item
     cross join lateral (
        select c.* from thread_comments c
         where c.organization_key = item.organization_key and c.resource_key = item.resource_key
           and c.annotation_id = item.annotation_id and c.comment_id = item.comment_id offset 0 for key share
     ) c
  ),
  finished as (
    delete from comment_mail_items i using held h
     where i.organization_key = h.organization_key and i.resource_key = h.resource_key and i.annotation_id = h.annotation_id
       and i.comment_id = h.comment_id and i.user_id = $3 and i.mail_id = $1
    returning i.organization_key, i.resource_key, i.annotation_id, i.comment_id, i.user_id, $4::text as outcome
  )
  ${RECORD.trim()}`,
)

export const DELETE_OLD_RESULTS = deletionOfOld('comment-mails.delete-old-results', {
  table: 'comment_mail_results',
  column: 'finished_at',
  keptFor: '30 days',
})
