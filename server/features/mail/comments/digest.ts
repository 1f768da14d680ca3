/**
 * The content of a mail about comments: each thread with its new comments, as the recipient may see them when the mail
 * is sent (rules/comments.md#mails-about-comments). All text from callers has passed `line` or `block`.
 */
import type { UserRef } from '#contract/users/user-refs.ts'
import type { Recipient, Show } from '#features/comments/shared.ts'
import { block, firstSeen, line } from '../text.ts'
import { COMMENTS_SHOWN, type ItemRow, type ShownComment } from './digest-statements.ts'
import { documentLink } from './links.ts'
import { zoneOf } from './times.ts'

/** A comment to report, and why it concerns the recipient. */
export interface Allowed {
  row: ItemRow
  recipient: Recipient
}

interface Person {
  name: string
  /** Empty: unknown. */
  email: string
}

export interface SaidComment {
  by: string
  at: number
  text: string
}

/** A thread in a mail. */
export interface Section {
  headline: string
  documentName: string
  /** The text on the page that the thread is about; empty: none. */
  quote: string
  comments: SaidComment[]
  /** How many comments of the thread are before these. */
  earlier: number
  link: string | undefined
  muteLink: string
}

export interface Digest {
  userName: string
  /** Empty: the recipient is not a member of the organization, and need not know its name. */
  organizationName: string
  /** The author of the newest comment, if all are by the same user. */
  actor: Person | undefined
  subject: string
  sections: Section[]
  /** How many threads are not shown. */
  more: number
  reason: 'mention' | 'reply' | 'all'
  timezone: string
  unsubscribeLink: string
}

/** The `actionType` of a changed comment. */
export const CHANGED = 'updated'

/** A mail shows no more threads. */
const SECTIONS_MAX = 20

/** A mail shows no more characters of a comment, and of a quoted passage. */
const TEXT_MAX = 2_000
const QUOTE_MAX = 500

/** The text of a comment that has only HTML or attachments. */
const NO_TEXT = '(Open the document to see this comment.)'

export const nameOf = ({ name, email, userId }: UserRef): string => firstSeen(name, email, userId)

/** Returns the text of a comment with the names of the mentioned users, who do not show their addresses. */
export function textOf({ commentText, taggedUserContacts }: ShownComment, show: Show): string {
  const names = new Map(
    taggedUserContacts.map(({ userId, contact }) => {
      const { name } = show({ ...contact, userId })
      return [userId, `@${firstSeen(name, userId)}`]
    }),
  )
  return commentText.replaceAll(/\{\{([^{}]+)\}\}/g, (whole, userId: string) => names.get(userId) ?? whole)
}

/** Returns the comment that an item is about. */
export function commentOf({ comments, commentId }: ItemRow): ShownComment {
  const found = comments.find((comment) => comment.commentId === commentId)
  if (found === undefined) throw new Error(`comment ${commentId} was read without itself`)
  return found
}

interface Making {
  show: Show
  documentUrl: string
  linkTo: (thread?: { resourceKey: string; annotationId: string }) => string
}

/** Makes a mail of comments, at least one, the oldest first. */
export function digestOf(allowed: readonly Allowed[], { show, documentUrl, linkTo }: Making): Digest {
  const [newest] = allowed.slice(-1) as [Allowed]
  const threads = [
    ...Map.groupBy(allowed, ({ row }) => `${row.resourceKey} ${row.thread.annotationId}`).values(),
  ].reverse()
  const sections = threads.slice(0, SECTIONS_MAX).map((items) => sectionOf(items, { show, documentUrl, linkTo }))
  const actors = new Map(
    allowed.map(({ row }) => {
      const from = show(commentOf(row).from)
      return [from.userId, { name: nameOf(from), email: from.email ?? '' }]
    }),
  )
  const { row, recipient } = newest
  const organizationName = recipient.isMember ? firstSeen(row.organizationName ?? '', row.organizationId) : ''
  const documents = new Set(allowed.map(({ row }) => row.resourceKey))
  const [first] = sections
  const places = organizationName === '' ? `${documents.size} documents` : `“${organizationName}”`
  const place = documents.size === 1 ? `“${first?.documentName}”` : places
  const what = threads.length === 1 ? first?.headline : `${allowed.length} comments`
  return {
    userName: firstSeen(newest.recipient.name ?? ''),
    organizationName,
    actor: actors.size === 1 ? [...actors.values()][0] : undefined,
    subject: line(`${what} in ${place}`),
    sections,
    more: threads.length - sections.length,
    reason:
      (['mention', 'reply'] as const).find((one) => allowed.some(({ recipient }) => recipient.reason === one)) ?? 'all',
    timezone: zoneOf(newest.recipient.timezone),
    unsubscribeLink: linkTo(),
  }
}

function sectionOf(items: readonly Allowed[], { show, documentUrl, linkTo }: Making): Section {
  const [{ row, recipient }] = items.slice(-1) as [Allowed]
  const { organizationId, commentId, thread, comments, commentCount } = row
  const { annotationId, documentId, resourceKey, content } = thread
  const by = nameOf(show(commentOf(row).from))
  const shown = comments.slice(-COMMENTS_SHOWN)
  return {
    headline: items.length > 1 ? `${items.length} comments` : headlineOf(by, row.actionType, recipient.reason),
    documentName: firstSeen(row.documentName ?? '', documentId),
    quote: block(content.targetElement?.targetText ?? '', QUOTE_MAX),
    comments: shown.map((comment) => ({
      by: nameOf(show(comment.from)),
      at: comment.createdAt,
      text: block(textOf(comment, show), TEXT_MAX) || NO_TEXT,
    })),
    earlier: Math.max(0, commentCount - shown.length),
    link: documentLink(
      documentUrl,
      { organizationId, documentId, annotationId, commentId },
      content.pageInfo,
      row.allowedDomains,
    ),
    muteLink: linkTo({ resourceKey, annotationId }),
  }
}

function headlineOf(by: string, actionType: string, reason: Recipient['reason']): string {
  if (reason === 'mention') return `${by} mentioned you`
  if (actionType === 'newlyAdded') return `${by} started a thread`
  return actionType === CHANGED ? `${by} changed a comment` : `${by} replied`
}
