/**
 * The effects of writing a comment in its own transaction: the row that names the comment, and whether a setting of the
 * API key has an effect on.
 */
import { COMMENT_TRIGGERS } from '#contract/comments/triggers.ts'
import type { ApiKeyId, OrganizationKey } from '#contract/core/ids.ts'

/** The acts on a comment of which its author can request notifications, by the short word of the trigger. */
export type CommentAct = 'newlyAdded' | 'added' | 'updated'

/** A comment that the transaction has written, and the two names of its trigger (rules/keys.md#triggers). */
export interface WrittenCommentRow {
  organizationKey: OrganizationKey
  apiKeyId: ApiKeyId
  documentId: string
  annotationId: string
  commentId: number
  shortWord: CommentAct
  eventType: string
}

export const WRITTEN_COMMENT_COLUMNS = {
  organizationKey: 'uuid',
  apiKeyId: 'text',
  documentId: 'text',
  annotationId: 'text',
  commentId: 'bigint',
  shortWord: 'text',
  eventType: 'text',
} as const

/** Returns the two names of the trigger of a comment. */
export const triggerOf = (act: CommentAct): Pick<WrittenCommentRow, 'shortWord' | 'eventType'> => ({
  shortWord: act,
  eventType: COMMENT_TRIGGERS[act][0],
})

/**
 * SQL: whether `triggers`, an object of settings, has a trigger on, under its event type or else under its short word.
 * `unset` is whether a trigger that is not in the object is on.
 */
export const isTriggerOn = (
  triggers: string,
  { word, type, unset } = { word: 'item.short_word', type: 'item.event_type', unset: 'true' },
): string => `coalesce((${triggers} ->> ${type})::boolean, (${triggers} ->> ${word})::boolean, ${unset})`
