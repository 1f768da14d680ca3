/**
 * The acts on threads and comments that webhooks report in the messages of the contract, by the event that records each
 * (rules/comments.md#webhooks).
 */
import type { ORGANIZATION_EVENT_TYPES } from '../events/organization-event-types.ts'
import type { COMMENT_TRIGGERS } from './triggers.ts'

export interface CommentAct {
  /** The name in messages to basic URLs. */
  word: keyof typeof COMMENT_TRIGGERS
  /** The type of messages to signed endpoints. */
  type: string
  /** The field of `after` that must be true. */
  only?: 'notify' | 'assigned'
  /** Signed endpoints get no message. */
  basicOnly?: true
}

export const COMMENT_ACTS = {
  'thread.added': { word: 'newlyAdded', type: 'comment_annotation.add', only: 'notify' },
  'comment.added': { word: 'added', type: 'comment.add', only: 'notify' },
  'comment.updated': { word: 'updated', type: 'comment.update', only: 'notify' },
  'comment.deleted': { word: 'deleted', type: 'comment.delete' },
  'thread.deleted': { word: 'deleted', type: 'comment_annotation.delete' },
  'thread.assigned': { word: 'assigned', type: 'comment_annotation.assign', only: 'assigned' },
  'thread.status_changed': { word: 'statusChanged', type: 'comment_annotation.status_change' },
  'thread.priority_changed': { word: 'priorityChanged', type: 'comment_annotation.priority_change' },
  'thread.visibility_changed': {
    word: 'accessModeChanged',
    type: 'comment_annotation.access_mode_change',
    basicOnly: true,
  },
  'thread.subscribed': { word: 'subscribed', type: 'comment_annotation.subscribe' },
  'thread.unsubscribed': { word: 'unsubscribed', type: 'comment_annotation.unsubscribe' },
  'thread.suggestion_accepted': { word: 'suggestionAccepted', type: 'comment_annotation.suggestion_accept' },
  'thread.suggestion_rejected': { word: 'suggestionRejected', type: 'comment_annotation.suggestion_reject' },
} as const satisfies Partial<Record<keyof typeof ORGANIZATION_EVENT_TYPES, CommentAct>>

/** Returns the act that an event records, whether or not it is sent; undefined if the event records none. */
export const commentActOf = (eventType: string): CommentAct | undefined =>
  Object.hasOwn(COMMENT_ACTS, eventType) ? COMMENT_ACTS[eventType as keyof typeof COMMENT_ACTS] : undefined

/** The types of the contract that signed endpoints can subscribe to. */
export const COMMENT_ACT_TYPES: readonly string[] = Object.values<CommentAct>(COMMENT_ACTS).flatMap(
  ({ type, basicOnly }) => (basicOnly ? [] : [type]),
)
