/**
 * Queues comments to be mailed, in the transaction that writes them; the mail feature takes them from there
 * (rules/comments.md#mails-about-comments, ADR 0056).
 */
import type { Session } from '#platform/db/db.ts'
import { setStatement } from '#platform/db/statement.ts'
import { isTriggerOn, WRITTEN_COMMENT_COLUMNS, type WrittenCommentRow } from '#tenancy/comment-triggers.ts'

/**
 * Queues comments, unless the key has the e-mail service or the trigger off, or a resolver keeps the text elsewhere. They are due after
 * the delay of the key.
 */
export const QUEUE_COMMENTS = setStatement<WrittenCommentRow, never>(
  'comment-mails.queue',
  WRITTEN_COMMENT_COLUMNS,
  /* sql */ `
  insert into comment_mailings (api_key_id, organization_key, resource_key, annotation_id, comment_id, action_type, due_at)
  select item.api_key_id, item.organization_key, d.resource_key, item.annotation_id, item.comment_id, item.short_word,
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
