/** Threads and comments as they are stored: the fields of callers that have no column, and the people whom they name. */
import { hash } from 'node:crypto'
import type { CommentAgent, ThreadVisibility } from '#contract/comments/agents.ts'
import type { FirstComment, ThreadInput } from '#contract/comments/inputs.ts'
import type { CommentContext, ThreadStatus } from '#contract/comments/parts.ts'
import type { UserRef } from '#contract/users/user-refs.ts'

export type StoredAgent = CommentAgent & { agentType: 'external' }

export interface StoredVisibility extends ThreadVisibility {
  /** The keys of `organizationId` and `organizationIds`, of which a reader must be a member. */
  organizationKeys?: string[]
}

type NotStored = 'annotationId' | 'commentData' | 'comments' | 'createdAt' | 'lastUpdated' | 'status' | 'visibility'

export interface ThreadContent extends Omit<ThreadInput, NotStored> {
  type: 'comment' | 'suggestion'
  from: UserRef
  status: ThreadStatus
  visibility: StoredVisibility
  agent?: StoredAgent
  statusUpdatedByUserId?: string
  resolvedByUserId?: string
}

type NotStoredOfComment =
  | 'commentId'
  | 'createdAt'
  | 'lastUpdated'
  | 'agent'
  | 'triggerNotification'
  | 'triggerActivities'

export interface CommentContent extends Omit<FirstComment, NotStoredOfComment> {
  from: UserRef
  agent?: StoredAgent
  /** Absent until it is changed. */
  status?: 'updated'
}

export const OPEN_STATUS: ThreadStatus = {
  id: 'OPEN',
  name: 'Open',
  type: 'default',
  color: '#625DF5',
  lightColor: '#E7E8FA',
  svg: '<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" viewBox="0 0 16 16" fill="none"><circle cx="8" cy="8" r="6" stroke="#625DF5" stroke-width="1.5"/></svg>',
}

/** How callers name a user inline. */
export type Contact = UserRef

/** Returns the people whom a comment names, each once; its own `from` and the contacts of mentions as they are named there. */
export function peopleOfComment(content: CommentContent): Map<string, Contact> {
  const people = new Map<string, Contact>()
  for (const userId of content.progress?.visibleToUserIds ?? []) people.set(userId, { userId })
  for (const { userId, contact } of content.taggedUserContacts ?? []) people.set(userId, { ...contact, userId })
  people.set(content.from.userId, content.from)
  return people
}

/** Returns the people whom a thread, or a change of one, names beside its comments. */
export function peopleOfThread(content: ThreadContent): Map<string, Contact> {
  const people = new Map<string, Contact>()
  const named = [content.statusUpdatedByUserId, content.resolvedByUserId, ...(content.visibility.userIds ?? [])]
  for (const userId of named) if (userId) people.set(userId, { userId })
  for (const contact of [content.assignedTo, content.from]) if (contact) people.set(contact.userId, contact)
  return people
}

export const mentionedIn = ({ taggedUserContacts = [] }: CommentContent): string[] =>
  taggedUserContacts.map(({ userId }) => userId)

/** The size of stored content; texts are UTF-8. */
export const bytesOf = (content: object): number => Buffer.byteLength(JSON.stringify(content))

/** Returns the fields that a reader needs, as `field:value`: of the context, and of the visibility (rules/comments.md#visibility). */
export function accessFieldsOf({ context, visibility }: ThreadContent, privateSelf: string): string[] {
  const { organizationIds = [], userIds = [] } = visibility
  return [
    ...Object.entries(accessOf(context)).map(([field, value]) => `${field}:${value}`),
    ...(visibility.type === 'organizationPrivate' ? organizationIds.map((id) => `${ORGANIZATION_FIELD}:${id}`) : []),
    ...(visibility.type === 'public' ? [] : userIds.map((id) => `${privateSelf}:${id}`)),
  ]
}

/** The field of an access context that stands for membership of an organization, so callers cannot have one of this name. */
export const ORGANIZATION_FIELD = 'organizationPrivate'

const accessOf = (context: CommentContext | undefined): Record<string, string | number> =>
  (context as { access?: Record<string, string | number> } | undefined)?.access ?? {}

/** Returns the key of a user in the maps of subscribers, as clients of the hosted original compute it. */
export const userHash = (userId: string): string => hash('md5', userId)
