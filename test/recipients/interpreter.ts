/**
 * The reference interpreter of the rules of who is notified of comments (rules/comments.md#notifications-of-comments)
 * and who sees threads (rules/comments.md#visibility): maps and loops, no SQL. The lists of the server are compared
 * with it.
 */
import { type Resource as AccessResource, decide, type Key } from '../matrix/interpreter.ts'

export type Level = 'ALL' | 'MINE' | 'NONE'

export type Channel = 'inbox' | 'email'

/** The levels of users who have set none (rules/comments.md#preferences). */
const DEFAULT_LEVELS: Record<Channel, Level> = { inbox: 'ALL', email: 'MINE' }

/** A document or an organization, with the levels that users have set for it. */
export interface Resource extends AccessResource {
  levels: Record<Channel, Map<string, Level>>
}

export const noLevels = (): Resource['levels'] => ({ inbox: new Map(), email: new Map() })

export type Visibility =
  | { type: 'public' }
  /** Readers are members of one of the organizations, and the users that it lists, such as its author. */
  | { type: 'organizationPrivate'; organizations: readonly AccessResource[]; userIds: readonly string[] }
  | { type: 'restricted'; userIds: readonly string[] }

/** A notification of a comment. */
interface Notice {
  /** The users who followed the thread when the comment was written, without its author. */
  named: ReadonlySet<string>
  /** Whether the inboxes of users who have read it still list it. */
  readBy: Map<string, 'listed' | 'hidden'>
}

export interface Comment {
  id: number
  /** Its position among all comments that the thread has ever had. */
  position: number
  author: string
  mentions: readonly string[]
  notice?: Notice
}

export interface Thread {
  id: string
  document: Resource
  author: string
  visibility: Visibility
  /** Whether readers need an access context, which no call of the test provides. */
  hasContext: boolean
  comments: Comment[]
  /** The number of comments that it has ever had. */
  written: number
  subscriptions: Map<string, 'subscribed' | 'unsubscribed'>
  assignee?: string
  /** The position up to which users have seen it. */
  seenThrough: Map<string, number>
}

/** The facts about comments in one organization. */
export interface Discussions {
  organization: Resource
  key: Key
  threads: Iterable<Thread>
}

export interface Listed {
  threadId: string
  commentId: number
  isUnread: boolean
  forYou: boolean
}

/** Returns whether the user is a member: by a live grant of the user's own. */
const isMember = ({ grants }: AccessResource, userId: string, now: number): boolean =>
  (grants.get(userId) ?? []).some(({ expiresAt = Number.POSITIVE_INFINITY }) => expiresAt > now)

/** Returns whether the visibility of a thread includes a user, without regard to access to the document. */
export function isVisible({ author, visibility, hasContext }: Thread, userId: string, now: number): boolean {
  if (hasContext) return false
  if (visibility.type === 'public' || author === userId || visibility.userIds.includes(userId)) return true
  return visibility.type === 'organizationPrivate' && visibility.organizations.some((one) => isMember(one, userId, now))
}

/** Returns whether the user has seen the thread up to a position. */
const hasSeen = ({ seenThrough }: Thread, userId: string, position: number): boolean =>
  (seenThrough.get(userId) ?? 0) >= position

const lastPosition = ({ comments }: Thread): number => Math.max(0, ...comments.map(({ position }) => position))

/** Returns the threads of a document that a user sees, without regard to access to the document. */
export function countsOf({ threads }: Discussions, document: Resource, userId: string, now: number) {
  const visible = [...threads].filter((thread) => thread.document === document && isVisible(thread, userId, now))
  const unread = visible.filter((thread) => !hasSeen(thread, userId, lastPosition(thread)))
  return { total: visible.length, unread: unread.length }
}

/** Returns the level of a channel; the level for the document precedes the level for the organization. */
const levelOf = (organization: Resource, document: Resource, channel: Channel, userId: string): Level =>
  document.levels[channel].get(userId) ?? organization.levels[channel].get(userId) ?? DEFAULT_LEVELS[channel]

/** Returns whether a notification of a comment is for a user at a time. */
function isFor(
  { organization, key }: Discussions,
  thread: Thread,
  { author, notice }: Comment,
  userId: string,
  now: number,
): boolean {
  if (notice === undefined || author === userId || notice.readBy.get(userId) === 'hidden') return false
  if (thread.subscriptions.get(userId) === 'unsubscribed') return false
  const isNamed = notice.named.has(userId)
  const level = levelOf(organization, thread.document, 'inbox', userId)
  if (level === 'NONE' || (level === 'MINE' && !isNamed)) return false
  if (!isNamed && !isMember(organization, userId, now)) return false
  return isVisible(thread, userId, now) && decide(thread.document, userId, now, key).allowed
}

/** Returns the inbox of a user at a time. */
export function inboxOf(discussions: Discussions, userId: string, now: number): Listed[] {
  return [...discussions.threads].flatMap((thread) =>
    thread.comments
      .filter((comment) => isFor(discussions, thread, comment, userId, now))
      .map(({ id, position, notice }) => ({
        threadId: thread.id,
        commentId: id,
        isUnread: notice?.readBy.has(userId) !== true && !hasSeen(thread, userId, position),
        forYou: notice?.named.has(userId) === true,
      })),
  )
}

/**
 * Returns everybody whom a comment involves on a channel at a time, as `user: reason`, or why the user is left out
 * (rules/comments.md#recipients). Without a comment the notification is about the thread, on which `actor` acted.
 */
export function recipientsOf(
  { organization, key }: Discussions,
  thread: Thread,
  subject: Comment | { actor: string },
  channel: Channel,
  now: number,
): string[] {
  const { document, subscriptions } = thread
  const comment = 'position' in subject ? subject : undefined
  const actor = 'position' in subject ? subject.author : subject.actor
  const withAll = [...document.levels[channel], ...organization.levels[channel]].filter(([, level]) => level === 'ALL')
  const assignee = thread.assignee === undefined ? [] : [thread.assignee]
  const involved = new Set([...subscriptions.keys(), ...assignee, ...withAll.map(([userId]) => userId)])
  involved.delete(actor)
  return [...involved].sort().map((userId) => {
    const follows = subscriptions.get(userId) === 'subscribed'
    const reason = comment?.mentions.includes(userId) ? 'mention' : follows ? 'reply' : 'all'
    const level = levelOf(organization, document, channel, userId)
    const decision = decide(document, userId, now, key)
    const leftOut = () => {
      if (decision.reason === 'user_disabled') return 'disabled'
      if (!decision.allowed) return 'no_access'
      if (!isVisible(thread, userId, now)) return 'not_visible'
      if (subscriptions.get(userId) === 'unsubscribed') return 'unsubscribed'
      if (level === 'NONE' || (level === 'MINE' && reason === 'all')) return 'level'
      return comment !== undefined && hasSeen(thread, userId, comment.position) ? 'seen' : undefined
    }
    return `${userId}: ${leftOut() ?? reason}`
  })
}

/** Adds comments at the end of a thread, by one call. A notification names those who follow the thread when the call is done. */
export function write(
  thread: Thread,
  comments: readonly { author: string; mentions: readonly string[]; notifies: boolean }[],
): Comment[] {
  const written = comments.map(({ author, mentions, notifies }) => {
    const sawAll = thread.comments.length === 0 || hasSeen(thread, author, lastPosition(thread))
    const position = thread.written + 1
    const comment: Comment = { id: position, position, author, mentions }
    thread.comments.push(comment)
    thread.written++
    for (const userId of [author, ...mentions])
      if (!thread.subscriptions.has(userId)) thread.subscriptions.set(userId, 'subscribed')
    if (sawAll) thread.seenThrough.set(author, comment.position)
    return { comment, notifies }
  })
  const following = [...thread.subscriptions].flatMap(([userId, state]) => (state === 'subscribed' ? [userId] : []))
  for (const { comment, notifies } of written)
    if (notifies)
      comment.notice = { named: new Set(following.filter((id) => id !== comment.author)), readBy: new Map() }
  return written.map(({ comment }) => comment)
}
