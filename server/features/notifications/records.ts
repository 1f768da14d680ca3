/** Makes the records of notifications from rows (rules/comments.md#notifications). */
import { hash } from 'node:crypto'
import type { Notification } from '#contract/notifications/notifications.ts'
import type { UserRef } from '#contract/users/user-refs.ts'
import { type AnyCaller, isUser, withoutAddresses } from '#tenancy/callers/own-user.ts'
import { locationNumber } from '#tenancy/locations.ts'
import type { NotificationRow } from './read-statements.ts'

/** Returns the key of a user in the maps of a notification: the lower-case MD5 of an id or e-mail address. */
const keyOf = (text: string): string => hash('md5', text)

const flags = (texts: readonly (string | null)[] | null): Record<string, boolean> =>
  Object.fromEntries((texts ?? []).flatMap((text) => (text === null ? [] : [[keyOf(text), true]])))

/** Returns a notification; with `userId`, as that user sees it. */
export function recordOf(
  row: NotificationRow,
  caller: AnyCaller,
  organizationId: string,
  userId: string | undefined,
): Notification {
  const { actionType, targetAnnotationId, content, documentId } = row
  const { actionUser, metadata, location, context, ...texts } = { ...content, ...textsOfComment(row) }
  const headline = String(texts.displayHeadlineMessageTemplate ?? '')
  const known: UserRef = { ...(actionUser as UserRef), ...row.profile, userId: row.actorId }
  const seen = userId !== undefined && {
    isUnread: !row.isRead,
    forYou: row.isNamed,
    displayHeadlineMessage: filledIn(
      headline,
      withoutAddresses(caller, texts.displayHeadlineMessageTemplateData as Data | undefined),
      withoutAddresses(caller, known),
    ),
  }
  return {
    ...(texts as object),
    id: row.id,
    notificationSource: row.notificationSource,
    ...(actionType !== null && { actionType }),
    actionUser: known,
    timestamp: row.timestamp,
    displayHeadlineMessageTemplate: headline,
    displayBodyMessage: String(texts.displayBodyMessage ?? ''),
    notificationSourceData: (texts.notificationSourceData as object | undefined) ?? {},
    ...(targetAnnotationId !== null && { targetAnnotationId }),
    metadata: {
      ...(metadata as object | undefined),
      ...(location !== undefined && { location, locationId: locationNumber((location as { id: string }).id) }),
      apiKey: caller.apiKeyId,
      organizationId,
      documentId,
    },
    ...(context !== undefined && !isUser(caller) && { context: contextOf(context as NotificationContext) }),
    notifyUsers: flags(row.isNamed ? [row.email] : row.namedEmails),
    notifyUsersByUserId: flags(row.isNamed && userId !== undefined ? [userId] : row.namedIds),
    ...seen,
  } as Notification
}

type Data = Record<string, unknown>

interface NotificationContext {
  access?: Data
}

/** Whether a reader needs a context, which a user token does not have. */
export const hasAccessContext = ({ content: { context } }: Pick<NotificationRow, 'content'>): boolean =>
  Object.keys((context as NotificationContext | undefined)?.access ?? {}).length > 0

/** Returns a context with what a reader needs of it, as threads have it. */
const contextOf = (context: NotificationContext) => ({
  ...context,
  accessFields: Object.entries(context.access ?? {}).map(([field, value]) => `${field}:${value}`),
})

interface Comment {
  commentText?: string
  taggedUserContacts?: { userId: string; text?: string; contact?: UserRef }[]
}

/** Returns the content of a notification of a comment: the current text, and the thread with only that comment. */
function textsOfComment({
  thread,
  comment,
  commentedAt,
  targetAnnotationId,
  targetCommentId,
}: NotificationRow): object {
  if (thread === null || comment === null) return {}
  const { visibility: _visibility, context: _context, ...shown } = thread
  const { commentText = '', taggedUserContacts = [] } = comment as Comment
  const names = new Map(
    taggedUserContacts.map(({ userId, text, contact }) => [userId, text ?? `@${contact?.name ?? userId}`]),
  )
  return {
    displayBodyMessage: commentText.replaceAll(
      /\{\{([^{}]+)\}\}/g,
      (whole, userId: string) => names.get(userId) ?? whole,
    ),
    notificationSourceData: {
      annotationId: targetAnnotationId,
      ...shown,
      comments: [{ commentId: targetCommentId, ...comment, createdAt: commentedAt }],
    },
  }
}

/** Puts data into a template: `{name}` becomes the text of that name, or the name of a user. Anything else stays as it is. */
function filledIn(template: string, data: Data = {}, actionUser: UserRef): string {
  return template.replaceAll(/\{([^{}]+)\}/g, (whole, name: string) => {
    const value = Object.hasOwn(data, name) ? data[name] : name === 'actionUser' ? actionUser : undefined
    if (typeof value === 'string' || typeof value === 'number') return String(value)
    if (typeof value !== 'object' || value === null) return whole
    const user = value as UserRef
    const { name: title, email, userId } = user.userId === actionUser.userId ? { ...user, ...actionUser } : user
    return title || email || userId || whole
  })
}
