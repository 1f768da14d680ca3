/** SQL of mails about comments: the content of each when it is sent, and its state. */
import type { OrganizationKey } from '#contract/core/ids.ts'
import type { UserRef } from '#contract/users/user-refs.ts'
import type { StoredThread } from '#features/comments/shared.ts'
import { setStatement, statement } from '#platform/db/statement.ts'
import { MARK_LEASE } from '../statements.ts'

/** How many of the last comments of its thread a mail shows. */
export const COMMENTS_SHOWN = 3

/** The maximum number of comments of a mail; further comments are not sent. */
export const ITEMS_MAX = 200

export interface MailToUser {
  mailId: string
  organizationKey: OrganizationKey
  userId: string
}
const MAIL_TO_USER = { mailId: 'uuid', organizationKey: 'uuid', userId: 'text' } as const

/** Takes the comments that wait for mails: no other mails send them. Of two mails that wait for one comment, either takes it. */
export const TAKE_ITEMS = setStatement<MailToUser, never>(
  'comment-mails.take-items',
  MAIL_TO_USER,
  /* sql */ `
  with mail as materialized (select * from $input order by item.organization_key, item.user_id, item.mail_id),
  waiting as materialized (
    select i.row, mail.mail_id from mail
     cross join lateral (
        select i.ctid as row from comment_mail_items i
         where i.organization_key = mail.organization_key and i.user_id = mail.user_id and i.mail_id is null
           and (i.document_mail_id = mail.mail_id or i.user_mail_id = mail.mail_id) offset 0 for update
     ) i
  )
  update comment_mail_items i set mail_id = w.mail_id from waiting w where i.ctid = w.row`,
)

export interface NamedComment {
  organizationKey: OrganizationKey
  resourceKey: string
  annotationId: string
  commentId: number
}
export const NAMED_COMMENT = {
  organizationKey: 'uuid',
  resourceKey: 'uuid',
  annotationId: 'text',
  commentId: 'bigint',
} as const

export interface TakenItem extends NamedComment {
  mailId: string
  actionType: string
  changedAt: Date | null
}

/** Returns the comments that each mail has taken, at most `ITEMS_MAX`, the oldest first. */
export const LIST_TAKEN = setStatement<MailToUser, TakenItem>(
  'comment-mails.list-taken',
  MAIL_TO_USER,
  /* sql */ `
  select item.mail_id as "mailId", item.organization_key as "organizationKey", taken.*
    from $input
   cross join lateral (
      select i.resource_key as "resourceKey", i.annotation_id as "annotationId", i.comment_id::float8 as "commentId", i.action_type as "actionType",
             i.changed_at as "changedAt"
        from comment_mail_items i
       cross join lateral (
          select c.position, c.created_at from thread_comments c
           where c.organization_key = i.organization_key and c.resource_key = i.resource_key
             and c.annotation_id = i.annotation_id and c.comment_id = i.comment_id limit 1
       ) c
       where i.organization_key = item.organization_key and i.user_id = item.user_id and i.mail_id = item.mail_id
       order by c.created_at, i.resource_key, i.annotation_id, c.position limit ${ITEMS_MAX}
   ) taken
   order by item.ord`,
)

/** A comment of a thread, as mails need it. */
export interface ShownComment {
  commentId: number
  position: number
  createdAt: number
  commentText: string
  from: UserRef
  taggedUserContacts: { userId: string; text?: string; contact?: UserRef }[]
  /** The hash of its whole content. */
  hash: string
}

export interface ItemRow {
  resourceKey: string
  commentId: number
  actionType: string
  /** When the change was made that it is about; null: it is about the comment itself. */
  changedAt: Date | null
  organizationId: string
  organizationName: string | null
  documentName: string | null
  documentMetadata: Record<string, unknown> | null
  allowedDomains: string[]
  commentCount: number
  thread: Omit<StoredThread, 'createdAt' | 'lastUpdated' | 'comments' | 'subscriptions'>
  /** The hash of everything that a mail says about the thread, except its comments and people. */
  threadHash: string
  createdAt: Date
  lastUpdated: Date
  /** The first comment of the thread, this one, the one before it, and the last ones, in their order. */
  comments: ShownComment[]
}

/** The hash of all that a mail says about thread `t`, without its comments and people. */
export const THREAD_HASH =
  'md5(jsonb_build_array(t.content, d.id, d.name, d.metadata, f.id, o.organization_id, o.name, k.allowed_domains)::text)'

/** Joins document `d` of the rows of `i`, its folder `f`, its organization `o` and its key `k`. */
export const joinPlace = (i: string): string => /* sql */ `
   cross join lateral (
      select d.id, d.name, d.metadata, d.folder_key from resources d
       where d.organization_key = ${i}.organization_key and d.resource_key = ${i}.resource_key limit 1
    ) d
    left join lateral (
      select f.id from resources f where f.organization_key = ${i}.organization_key and f.resource_key = d.folder_key limit 1
    ) f on true
   cross join lateral (
      select o.organization_id, o.name, o.api_key_id from organizations o where o.organization_key = ${i}.organization_key limit 1
    ) o
   cross join lateral (select k.* from api_keys k where k.api_key_id = o.api_key_id limit 1) k`

/** The columns of the comments in the rows of `i` that a mail needs. */
const itemsOf = (i: string): string => /* sql */ `
  select i.resource_key as "resourceKey", i.comment_id::float8 as "commentId", i.action_type as "actionType", null::timestamptz as "changedAt",
         o.organization_id as "organizationId", o.name as "organizationName", d.name as "documentName", d.metadata as "documentMetadata",
         k.allowed_domains as "allowedDomains", t.comment_count as "commentCount",
         jsonb_build_object('annotationId', t.annotation_id, 'resourceKey', t.resource_key, 'documentId', d.id, 'folderId', f.id,
                            'content', t.content, 'mentionedUserIds', t.mentioned_user_ids) as thread,
         ${THREAD_HASH} as "threadHash", t.created_at as "createdAt", t.last_updated as "lastUpdated", shown.comments
    from (${i}) i
   cross join lateral (
      select c.position, c.created_at from thread_comments c
       where c.organization_key = i.organization_key and c.resource_key = i.resource_key
         and c.annotation_id = i.annotation_id and c.comment_id = i.comment_id limit 1
    ) c
   cross join lateral (
      select t.* from threads t
       where t.organization_key = i.organization_key and t.resource_key = i.resource_key and t.annotation_id = i.annotation_id limit 1
    ) t${joinPlace('i')}
   cross join lateral (
      select jsonb_agg(jsonb_build_object(
               'commentId', s.comment_id, 'position', s.position, 'createdAt', (extract(epoch from s.created_at) * 1000)::bigint,
               'commentText', coalesce(s.content ->> 'commentText', ''), 'from', s.content -> 'from', 'hash', md5(s.content::text),
               'taggedUserContacts', coalesce(s.content -> 'taggedUserContacts', '[]')) order by s.position) as comments
        from (
          select s.*, row_number() over (order by s.position) as nth, row_number() over (order by s.position desc) as nth_last,
                 lead(s.position) over (order by s.position) as next_position
            from (select s.comment_id, s.position, s.created_at, s.content from thread_comments s
                   where s.organization_key = i.organization_key and s.resource_key = i.resource_key and s.annotation_id = i.annotation_id) s
        ) s
       where s.nth = 1 or s.nth_last <= ${COMMENTS_SHOWN} or s.position = c.position or s.next_position = c.position
    ) shown`

/** Returns comments, as mails about them say them. */
export const GET_COMMENTS = setStatement<NamedComment, Omit<ItemRow, 'actionType' | 'changedAt'>>(
  'comment-mails.get-comments',
  NAMED_COMMENT,
  /* sql */ `${itemsOf(/* sql */ `
      select item.*, null::text as action_type from $input`)}`,
)

/** Returns the last comment of thread `$3` on document `$2` of organization `$1`, as a mail about it would say it. */
export const GET_LAST_COMMENT = statement<ItemRow>(
  'comment-mails.get-last-comment',
  /* sql */ `${itemsOf(/* sql */ `
      select c.organization_key, c.resource_key, c.annotation_id, c.comment_id,
             case when c.position = 1 then 'newlyAdded' else 'added' end as action_type
        from thread_comments c
       where c.organization_key = $1 and c.resource_key = $2 and c.annotation_id = $3
       order by c.position desc limit 1`)}`,
)

/** A mail, and the claim of a worker on it. */
export interface ClaimOnMail {
  mailId: string
  claims: number
}

/** SQL: the ids of the pending mails of the claims in `item`, locked in the order of their ids. */
const heldMails = (condition: string): string =>
  /* sql */ `
  mail as materialized (select distinct item.mail_id, item.claims from $input order by item.mail_id, item.claims),
  held as materialized (
    select m.mail_id from mail
     cross join lateral (
        select m.mail_id from mails m
         where m.mail_id = mail.mail_id and m.claims = mail.claims and m.state = 'pending' and ${condition}
        offset 0 for update
     ) m
  )`.trim()

/**
 * Records that mails are about to be handed over, and to which address, and prolongs their leases. It does not return
 * mails that are finished, that a mail server may already have, or that another worker has claimed in the meantime: the
 * refusal of a mail is recorded only for the last claim.
 */
export const HAND_OVER = setStatement<ClaimOnMail & { address: string }, ClaimOnMail>(
  'comment-mails.hand-over',
  { mailId: 'uuid', claims: 'int', address: 'text' },
  /* sql */ `
  with ${heldMails(`m.handed_over_at is null`)}
  update mails m set handed_over_at = clock_timestamp(), due_at = clock_timestamp() + ${MARK_LEASE},
                     recipient = (select item.address from $input where item.mail_id = m.mail_id and item.claims = m.claims limit 1)
   where m.mail_id = any (array(select mail_id from held)) and m.state = 'pending' and m.handed_over_at is null
  returning m.mail_id as "mailId", m.claims`,
)

/** Takes the mark from mails that were not handed over, unless another worker has claimed them in the meantime. */
export const TAKE_BACK = setStatement<ClaimOnMail, never>(
  'comment-mails.take-back',
  { mailId: 'uuid', claims: 'int' },
  /* sql */ `
  with ${heldMails(`m.handed_over_at is not null`)}
  update mails m set handed_over_at = null
   where m.mail_id = any (array(select mail_id from held)) and m.state = 'pending'`,
)

/** Deletes a mail that has nothing to say. */
export const DELETE_MAIL = statement<never>('comment-mails.delete-mail', `delete from mails where mail_id = $1`)
