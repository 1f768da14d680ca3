/** Makes the rows of a new thread from what the caller sent (rules/comments.md#threads, rules/comments.md#agents-and-suggestions). */
import { randomInt } from 'node:crypto'
import type { FirstComment, ThreadInput } from '#contract/comments/inputs.ts'
import { LIMITS } from '#contract/core/limits.ts'
import { type AnyCaller, isUser } from '#tenancy/callers/own-user.ts'
import { createPushId } from '#tenancy/push-ids.ts'
import {
  checkAgent,
  checkColors,
  checkContext,
  checkNewStatus,
  checkOrganizations,
  checkSize,
  checkVisibility,
  type Faults,
} from '../checks.ts'
import {
  type CommentContent,
  type Contact,
  mentionedIn,
  OPEN_STATUS,
  peopleOfComment,
  peopleOfThread,
  type ThreadContent,
} from '../content.ts'
import { type AuthoredComment, authored, threadOfUser } from '../users/input.ts'
import type { Words } from '../words.ts'
import type { NewCommentJson, NewUserJson } from './add-statements.ts'

export interface NewThread {
  /** The place of the thread in the call. */
  index: number
  annotationId: string
  /** Whether the caller chose the id. */
  hasOwnId: boolean
  content: ThreadContent
  bytes: number
  createdAt: string | null
  lastUpdated: string | null
  comments: NewCommentJson[]
  users: NewUserJson[]
  mentioned: string[]
}

interface Making {
  caller: AnyCaller
  words: Words
  keyOf: (organizationId: string) => string
  faults: Faults
}

export const timeOf = (milliseconds: number | undefined): string | null =>
  milliseconds === undefined ? null : new Date(milliseconds).toISOString()

/** Returns a comment as it is stored. */
function commentContentOf(comment: AuthoredComment, field: string, { words, faults }: Making): CommentContent {
  const { commentId, createdAt, lastUpdated, triggerNotification, triggerActivities, agent, context, ...own } = comment
  return {
    ...own,
    ...(context && { context: checkContext(context, `${field}.context`, words, faults) }),
    ...(agent && { agent: checkAgent(agent, `${field}.agent`, words, faults) }),
  }
}

/** Returns the comments of a call, ready to be stored; each without a number gets one. */
export function newComments(given: readonly FirstComment[], field: string, making: Making): NewCommentJson[] {
  const { caller, faults } = making
  const sent = authored(caller, given, field, faults)
  const ids = new Set<number>()
  for (const [index, { commentId }] of sent.entries())
    if (commentId !== undefined) {
      if (ids.has(commentId)) faults.add(`${field}[${index}].commentId`, 'is the id of another comment of the thread')
      ids.add(commentId)
    }
  return sent.map((comment, index) => {
    const at = `${field}[${index}]`
    const content = commentContentOf(comment, at, making)
    return {
      commentId: comment.commentId ?? newCommentId(ids),
      createdAt: timeOf(comment.createdAt),
      lastUpdated: timeOf(comment.lastUpdated ?? comment.createdAt),
      bytes: checkSize(content, at, faults),
      ...(comment.triggerNotification && { notify: true }),
      ...(comment.triggerActivities && { activity: true }),
      content,
    }
  })
}

function threadContentOf(sent: ThreadInput, root: CommentContent, field: string, making: Making): ThreadContent {
  const { words, keyOf, faults } = making
  const { annotationId, commentData, comments, createdAt, lastUpdated, ...rest } = sent
  const { status = OPEN_STATUS, visibility = { type: 'public' }, context, suggestion, type = 'comment', ...own } = rest
  checkNewStatus(status, `${field}.status`, faults)
  if (rest.priority !== undefined) checkColors(rest.priority, `${field}.priority`, faults)
  const authorId = root.from.userId
  checkOrganizations(visibility, `${field}.visibility`, faults)
  return {
    ...own,
    type,
    status,
    from: root.from,
    visibility: checkVisibility(visibility, `${field}.visibility`, { authorId, keyOf, faults }),
    ...(context && { context: checkContext(context, `${field}.context`, words, faults) }),
    ...(type === 'suggestion' && { suggestion: { ...suggestion, status: 'pending' } }),
    ...(root.agent && { agent: root.agent }),
  }
}

/**
 * Returns everybody whom comments name. Their authors and the mentioned users follow the thread. `seenThrough` is the
 * number of first comments that an author wrote, and so has seen.
 */
export function usersOfComments(comments: readonly CommentContent[]): NewUserJson[] {
  const people = new Map<string, Contact>()
  const followers = new Map<string, Contact>()
  for (const content of comments) {
    for (const [userId, contact] of peopleOfComment(content)) people.set(userId, contact)
    for (const { userId, contact } of content.taggedUserContacts ?? [])
      if (!followers.has(userId)) followers.set(userId, { ...contact, userId })
    followers.set(content.from.userId, content.from)
  }
  const first = comments[0]?.from.userId
  const others = comments.findIndex(({ from }) => from.userId !== first)
  const seenThrough = others === -1 ? comments.length : others
  return [...people.keys()].map((userId) => ({
    userId,
    subscription: followers.has(userId) ? 'subscribed' : null,
    contact: followers.get(userId) ?? null,
    seenThrough: userId === first ? seenThrough : 0,
  }))
}

/** Returns everybody whom a new thread names. */
function usersOf(content: ThreadContent, comments: readonly NewCommentJson[]): NewUserJson[] {
  const users = new Map(usersOfComments(comments.map((comment) => comment.content)).map((user) => [user.userId, user]))
  for (const userId of peopleOfThread(content).keys())
    if (!users.has(userId)) users.set(userId, { userId, subscription: null, contact: null, seenThrough: 0 })
  return [...users.values()]
}

/** Returns a thread of a call, ready to be stored; its faults are added to `faults`. */
export function newThread(thread: ThreadInput, index: number, making: Making): NewThread | undefined {
  const field = `commentAnnotations[${index}]`
  const { caller, faults } = making
  const sent = isUser(caller) ? threadOfUser(thread, field, faults) : thread
  const [name, given] =
    sent.commentData === undefined && sent.comments !== undefined
      ? ['comments', sent.comments]
      : ['commentData', sent.commentData]
  if (sent.commentData !== undefined && sent.comments !== undefined)
    faults.add(`${field}.comments`, 'must not be given together with commentData, which is another name of it')
  if (given === undefined) {
    faults.add(`${field}.commentData`, 'is required')
    return undefined
  }
  const comments = newComments(given, `${field}.${name}`, making)
  const [root] = comments
  if (root === undefined) return undefined
  const content = threadContentOf(sent, root.content, field, making)
  const bytes = checkSize(content, field, faults) + comments.reduce((sum, comment) => sum + comment.bytes, 0)
  if (bytes > LIMITS.threadBytesMax) faults.add(field, `must not have more than ${LIMITS.threadBytesMax} bytes`)
  return {
    index,
    annotationId: sent.annotationId ?? createPushId(),
    hasOwnId: sent.annotationId !== undefined,
    content,
    bytes,
    createdAt: timeOf(sent.createdAt),
    lastUpdated: timeOf(sent.lastUpdated ?? sent.createdAt),
    comments,
    users: usersOf(content, comments),
    mentioned: [...new Set(comments.flatMap((comment) => mentionedIn(comment.content)))],
  }
}

/** Returns a number of six digits that is not among `taken`, and adds it there. A thread has no more than 10,000 comments. */
export function newCommentId(taken: Set<number>): number {
  for (;;) {
    const id = randomInt(100_000, 1_000_000)
    if (taken.has(id)) continue
    taken.add(id)
    return id
  }
}
