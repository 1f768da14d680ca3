/** What follows from a new comment in its own transaction: the row that names it, and whether a setting of the API key has it on. */
import { COMMENT_TRIGGERS } from '#contract/comments/triggers.ts'
import type { ApiKeyId, OrganizationKey } from '#contract/core/ids.ts'

/** A comment that the transaction has written, and the two names of its trigger (rules/keys.md#triggers). */
export interface NewCommentRow {
  organizationKey: OrganizationKey
  apiKeyId: ApiKeyId
  documentId: string
  annotationId: string
  commentId: number
  shortWord: 'newlyAdded' | 'added'
  eventType: string
}

export const NEW_COMMENT_COLUMNS = {
  organizationKey: 'uuid',
  apiKeyId: 'text',
  documentId: 'text',
  annotationId: 'text',
  commentId: 'bigint',
  shortWord: 'text',
  eventType: 'text',
} as const

/** Returns the names of the trigger of a comment: of the first one of its thread, or of a reply. */
export const triggerOf = (isRoot: boolean): Pick<NewCommentRow, 'shortWord' | 'eventType'> =>
  isRoot
    ? { shortWord: 'newlyAdded', eventType: COMMENT_TRIGGERS.newlyAdded[0] }
    : { shortWord: 'added', eventType: COMMENT_TRIGGERS.added[0] }

/** SQL: whether `triggers`, an object of settings, has the trigger of `item` on, under either name. What it does not have is on. */
export const isTriggerOn = (triggers: string): string =>
  `coalesce((${triggers} ->> item.short_word)::boolean, (${triggers} ->> item.event_type)::boolean, true)`
