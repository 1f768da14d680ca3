/** SQL of mails about comments: what each says at the moment of sending, and what happens to it. */
import type { UserRef } from '#contract/users/user-refs.ts'
import type { StoredThread } from '#features/comments/shared.ts'
import { statement } from '#platform/db/statement.ts'

/** How many of the last comments of its thread a mail shows. */
export const COMMENTS_SHOWN = 3

/** Takes the comments that wait for mail `$1` to user `$3` in organization `$2`: no other mail sends them. */
export const TAKE_ITEMS = statement<never>(
  'comment-mails.take-items',
  /* sql */ `
  update comment_mail_items set mail_id = $1
   where organization_key = $2 and user_id = $3 and mail_id is null and (document_mail_id = $1 or user_mail_id = $1)`,
)

/** A comment of a thread, as mails need it. */
export interface ShownComment {
  commentId: number
  position: number
  createdAt: number
  commentText: string
  from: UserRef
  taggedUserContacts: { userId: string; text?: string; contact?: UserRef }[]
}

export interface ItemRow {
  resourceKey: string
  commentId: number
  actionType: string
  organizationId: string
  organizationName: string | null
  documentName: string | null
  documentMetadata: Record<string, unknown> | null
  allowedDomains: string[]
  commentCount: number
  thread: Omit<StoredThread, 'createdAt' | 'lastUpdated' | 'comments' | 'subscriptions'>
  createdAt: Date
  lastUpdated: Date
  /** The first comment of the thread, this one, the one before it, and the last ones, in their order. */
  comments: ShownComment[]
}

/** What a mail needs of the comments in the rows of `i`. */
const itemsOf = (i: string): string => /* sql */ `
  select i.resource_key as "resourceKey", i.comment_id::float8 as "commentId", i.action_type as "actionType",
         o.organization_id as "organizationId", o.name as "organizationName", d.name as "documentName", d.metadata as "documentMetadata",
         k.allowed_domains as "allowedDomains", t.comment_count as "commentCount",
         jsonb_build_object('annotationId', t.annotation_id, 'resourceKey', t.resource_key, 'documentId', d.id, 'folderId', f.id,
                            'content', t.content, 'mentionedUserIds', t.mentioned_user_ids) as thread,
         t.created_at as "createdAt", t.last_updated as "lastUpdated", shown.comments
    from (${i}) i
   cross join lateral (
      select c.position, c.created_at from thread_comments c
       where c.organization_key = i.organization_key and c.resource_key = i.resource_key
         and c.annotation_id = i.annotation_id and c.comment_id = i.comment_id limit 1
    ) c
   cross join lateral (
      select t.* from threads t
       where t.organization_key = i.organization_key and t.resource_key = i.resource_key and t.annotation_id = i.annotation_id limit 1
    ) t
   cross join lateral (
      select d.id, d.name, d.metadata, d.folder_key from resources d
       where d.organization_key = i.organization_key and d.resource_key = i.resource_key limit 1
    ) d
    left join lateral (
      select f.id from resources f where f.organization_key = i.organization_key and f.resource_key = d.folder_key limit 1
    ) f on true
   cross join lateral (select o.organization_id, o.name, o.api_key_id from organizations o where o.organization_key = i.organization_key limit 1) o
   cross join lateral (select k.allowed_domains from api_keys k where k.api_key_id = o.api_key_id limit 1) k
   cross join lateral (
      select jsonb_agg(jsonb_build_object(
               'commentId', s.comment_id, 'position', s.position, 'createdAt', (extract(epoch from s.created_at) * 1000)::bigint,
               'commentText', coalesce(s.content ->> 'commentText', ''), 'from', s.content -> 'from',
               'taggedUserContacts', coalesce(s.content -> 'taggedUserContacts', '[]')) order by s.position) as comments
        from (
          select s.*, row_number() over (order by s.position) as nth, row_number() over (order by s.position desc) as nth_last,
                 lead(s.position) over (order by s.position) as next_position
            from (select s.comment_id, s.position, s.created_at, s.content from thread_comments s
                   where s.organization_key = i.organization_key and s.resource_key = i.resource_key and s.annotation_id = i.annotation_id) s
        ) s
       where s.nth = 1 or s.nth_last <= ${COMMENTS_SHOWN} or s.position = c.position or s.next_position = c.position
    ) shown`

/** Returns the comments of mail `$1` to user `$3` in organization `$2`, at most `$4`, the oldest first. */
export const GET_ITEMS = statement<ItemRow>(
  'comment-mails.get-items',
  /* sql */ `${itemsOf(/* sql */ `
      select * from comment_mail_items
       where organization_key = $2 and user_id = $3 and mail_id = $1`)}
   order by c.created_at, i.resource_key, i.annotation_id, c.position limit $4::int`,
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

/** Records that a server is about to get mail `$1`; no row: it is finished, or a server may have it already. */
export const HAND_OVER = statement<{ mailId: string }>(
  'comment-mails.hand-over',
  /* sql */ `
  update mails set handed_over_at = clock_timestamp()
   where mail_id = $1 and state = 'pending' and handed_over_at is null
  returning mail_id as "mailId"`,
)

/** Deletes a mail that has nothing to say. */
export const DELETE_MAIL = statement<never>('comment-mails.delete-mail', `delete from mails where mail_id = $1`)
