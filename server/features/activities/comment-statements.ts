/** The SQL of the activities of comments (rules/comments.md#activities). */
import { setStatement } from '#platform/db/statement.ts'
import { isTriggerOn, WRITTEN_COMMENT_COLUMNS, type WrittenCommentRow } from '#tenancy/comment-triggers.ts'

export interface CommentActivityRow extends WrittenCommentRow {
  activityId: string
  content: object
}

/**
 * Records an activity for each comment, unless the key has the service or the trigger off. It names the thread and the
 * comment and copies no text, so that all texts to erase or delete are in the comments. Runs in the transaction that
 * writes the comments.
 */
export const ADD_COMMENT_ACTIVITIES = setStatement<CommentActivityRow, never>(
  'activities.add-of-comments',
  { ...WRITTEN_COMMENT_COLUMNS, activityId: 'text', content: 'jsonb' },
  /* sql */ `
  insert into activities (organization_key, activity_id, resource_key, recorded_at, feature_type, action_type, actor_id,
                          target_entity_id, target_sub_entity_id, is_immutable, content)
  select item.organization_key, item.activity_id, d.resource_key, coalesce($now, clock_timestamp()), 'comment', item.event_type, c.author_id,
         item.annotation_id, item.comment_id::text, coalesce((k.config ->> 'immutable')::boolean, false),
         item.content || jsonb_build_object('actionUser', c.author)
    from $input
   cross join lateral (
      select r.resource_key from resources r
       where r.organization_key = item.organization_key and r.kind = 'document' and r.id = item.document_id limit 1
   ) d
   cross join lateral (
      select c.author_id, c.content -> 'from' as author from thread_comments c
       where c.organization_key = item.organization_key and c.resource_key = d.resource_key
         and c.annotation_id = item.annotation_id and c.comment_id = item.comment_id limit 1
   ) c
   cross join lateral (
      select k.activity_config -> 'activityServiceConfig' as config from api_keys k where k.api_key_id = item.api_key_id limit 1
   ) k
   where (k.config ->> 'isEnabled')::boolean
     and ${isTriggerOn("(k.config #> '{triggers,comment}')")}
   order by item.organization_key, item.activity_id`,
)
