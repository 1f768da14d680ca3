/** The SQL statement that writes stored comments, under the lock of the organization; each id may appear only once. */
import { LIMITS } from '#contract/core/limits.ts'
import { changedFields } from '#features/comments/shared.ts'
import { setStatement } from '#platform/db/statement.ts'
import type { Actor } from '#tenancy/callers/caller.ts'
import { RECORD_EVENTS } from '#tenancy/events/record.ts'
import { JOIN_THREAD, type SetOutcomeRow, THREAD_KEY, type ThreadKey } from './thread-statements.ts'

export interface CommentRow extends ThreadKey {
  documentId: string
  commentId: number
  position: number
  createdAt: string
  lastUpdated: string
  content: object
  bytes: number
  /** The first comment of a thread of the call, which the event of the thread reports. */
  isRoot: boolean
  actor: Actor
}

/**
 * Writes comments of existing threads. A new comment gets its position, or the next free one if another comment has
 * that position. An existing comment keeps its position.
 */
export const SET_COMMENTS = setStatement<CommentRow, SetOutcomeRow>(
  'comment-data.set-comments',
  {
    ...THREAD_KEY,
    documentId: 'text',
    commentId: 'bigint',
    position: 'int',
    createdAt: 'timestamptz',
    lastUpdated: 'timestamptz',
    content: 'jsonb',
    bytes: 'int',
    isRoot: 'boolean',
    actor: 'jsonb',
  },
  /* sql */ `
  with named as materialized (
    select item.*, t.comments_written, known.position as known_position, known.content as known_content,
           known.created_at as known_created_at, known.last_updated as known_last_updated,
           known.position is not null
             and (known.content, known.created_at, known.last_updated) = (item.content, item.created_at, item.last_updated) as is_same,
           known.position is null and (
             row_number() over (partition by item.resource_key, item.annotation_id, item.position order by item.ord) > 1
             or item.position <= t.last_position and exists (
               select from thread_comments c
                where c.organization_key = item.organization_key and c.resource_key = item.resource_key
                  and c.annotation_id = item.annotation_id and c.position = item.position offset 0)) as is_taken,
           case when t.annotation_id is null then 'missing'
                when t.comment_count + sum((known.position is null)::int) over thread_so_far > ${LIMITS.commentsPerThreadMax}
                  or t.bytes + sum(item.bytes - coalesce(known.bytes, 0)) over thread_so_far > ${LIMITS.threadBytesMax} then 'full'
                else 'ok' end as outcome
      from $input ${JOIN_THREAD}
      left join lateral (
        select c.position, c.content, c.created_at, c.last_updated, c.bytes from thread_comments c
         where c.organization_key = item.organization_key and c.resource_key = item.resource_key
           and c.annotation_id = item.annotation_id and c.comment_id = item.comment_id limit 1
      ) known on true
    window thread_so_far as (partition by item.resource_key, item.annotation_id order by item.ord)
  ),
  accepted as materialized (
    select n.*, case when n.known_position is not null then n.known_position
                     when not n.is_taken then n.position
                     else greatest(n.comments_written, max(n.position) over thread_rows)
                          + (sum(n.is_taken::int) over (thread_rows order by n.ord))::int end as new_position
      from named n where n.outcome = 'ok' and not n.is_same
    window thread_rows as (partition by n.resource_key, n.annotation_id)
  ),
  written as (
    insert into thread_comments (organization_key, resource_key, annotation_id, comment_id, position, created_at, last_updated, content, bytes)
    select organization_key, resource_key, annotation_id, comment_id, new_position, created_at, last_updated, content, bytes
      from accepted order by organization_key, resource_key, annotation_id, comment_id
    on conflict (organization_key, resource_key, annotation_id, comment_id) do update
       set created_at = excluded.created_at, last_updated = excluded.last_updated, content = excluded.content, bytes = excluded.bytes
  ),
  event as (
    select organization_key, ord as position, case when known_position is null then 'comment.added' else 'comment.updated' end as type,
           'document'::resource_kind as resource_kind, document_id as resource_id, content -> 'from' ->> 'userId' as user_id, actor,
           null::jsonb as before,
           jsonb_build_object('annotationId', annotation_id, 'commentId', comment_id)
             || case when known_position is null then '{}'
                     else jsonb_build_object('isImported', true, 'fields', ${changedFields('known_content', 'content')}
                            || case when known_created_at <> created_at then '["createdAt"]'::jsonb else '[]' end
                            || case when known_last_updated <> last_updated then '["lastUpdated"]'::jsonb else '[]' end) end as after
      from accepted where not (is_root and known_position is null)
  ),
  ${RECORD_EVENTS}
  select ord::int, outcome from named order by ord`,
)
