/**
 * The triggers of acts on threads and comments, each with its two names in settings: the short word of basic webhooks,
 * and the event types of signed ones (rules/keys.md#triggers).
 */
import Type from 'typebox'
import { ClosedObject } from '../core/fields.ts'

/** The event types of each short word. Several types share one switch. */
export const COMMENT_TRIGGERS = {
  newlyAdded: ['comment_annotation.add'],
  added: ['comment.add'],
  updated: ['comment.update'],
  deleted: ['comment.delete', 'comment_annotation.delete'],
  assigned: ['comment_annotation.assign'],
  statusChanged: ['comment_annotation.status_change'],
  priorityChanged: ['comment_annotation.priority_change'],
  customListChanged: ['comment_annotation.custom_list_change'],
  accessModeChanged: ['comment_annotation.access_mode_change'],
  approved: ['comment_annotation.approve'],
  accepted: ['comment_annotation.accept', 'comment.accept'],
  rejected: ['comment_annotation.reject', 'comment.reject'],
  reactionAdded: ['comment.reaction_add'],
  reactionDeleted: ['comment.reaction_delete'],
  subscribed: ['comment_annotation.subscribe'],
  unsubscribed: ['comment_annotation.unsubscribe'],
  suggestionAccepted: ['comment_annotation.suggestion_accept'],
  suggestionRejected: ['comment_annotation.suggestion_reject'],
} as const satisfies Record<string, readonly string[]>

/** Every event type of a trigger. */
export const COMMENT_EVENT_TYPES: readonly string[] = Object.values(COMMENT_TRIGGERS).flat()

export const HUDDLE_TRIGGERS = ['created', 'join'] as const

/** The triggers with which a service for notifications or mails starts: all except those of suggestions. */
export const STANDARD_COMMENT_TRIGGERS = Object.keys(COMMENT_TRIGGERS).filter(
  (trigger) => !trigger.startsWith('suggestion'),
)

const switches = (names: readonly string[], description: string) =>
  ClosedObject(Object.fromEntries(names.map((name) => [name, Type.Optional(Type.Boolean())])), { description })

export const CommentTriggers = switches(
  Object.entries(COMMENT_TRIGGERS).flatMap(([word, types]) => [word, ...types]),
  'Acts on threads and comments, each under its short word or its event type. The two names are one switch: setting one replaces the other.',
)
export type CommentTriggers = Record<string, boolean>

export const HuddleTriggers = switches(HUDDLE_TRIGGERS, 'Stored and returned; there are no huddles.')
