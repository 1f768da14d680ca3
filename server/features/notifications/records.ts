/** Makes the records of notifications from rows (rules/comments.md#notifications). */
import { hash } from 'node:crypto'
import type { Notification } from '#contract/notifications/notifications.ts'
import type { UserRef } from '#contract/users/user-refs.ts'
import type { Session } from '#platform/db/db.ts'
import { type AnyCaller, isUser, withoutAddresses } from '#tenancy/callers/own-user.ts'
import { locationNumber } from '#tenancy/locations.ts'
import { FIND_PROFILES } from '#tenancy/profiles.ts'
import type { NotificationRow } from './read-statements.ts'

/** Returns the key of a user in the maps of a notification: the lower-case MD5 of an id or e-mail address. */
const keyOf = (text: string): string => hash('md5', text)

const flags = (texts: readonly (string | null)[] | null): Record<string, boolean> =>
  Object.fromEntries((texts ?? []).flatMap((text) => (text === null ? [] : [[keyOf(text), true]])))

/** Returns notifications; with `userId`, as that user sees them. */
export async function recordsOf(
  session: Pick<Session, 'run'>,
  rows: readonly NotificationRow[],
  { caller, organizationId, userId }: { caller: AnyCaller; organizationId: string; userId: string | undefined },
): Promise<Notification[]> {
  const show = await showingNamed(session, caller, rows)
  return rows.map((row) => recordOf({ ...row, content: show(row.content) }, caller, organizationId, userId))
}

/** The data of templates, in which callers name people inline. */
const TEMPLATE_DATA = ['displayHeadlineMessageTemplateData', 'displayBodyMessageTemplateData'] as const

type Content = NotificationRow['content']

const isPerson = (value: unknown): value is UserRef =>
  typeof value === 'object' && value !== null && typeof (value as UserRef).userId === 'string'

/**
 * Returns a function that shows the people in the data of templates with their newest profiles, as everywhere.
 * A user is shown only the own profile there: a template can name anybody.
 */
async function showingNamed(
  session: Pick<Session, 'run'>,
  caller: AnyCaller,
  rows: readonly NotificationRow[],
): Promise<(content: Content) => Content> {
  const named = rows.flatMap(({ content }) => TEMPLATE_DATA.flatMap((name) => Object.values(Object(content[name]))))
  const ids = new Set(named.filter(isPerson).map(({ userId }) => userId))
  const shown = isUser(caller) ? [caller.userId].filter((id) => ids.has(id)) : [...ids]
  if (shown.length === 0) return (content) => content
  const found = await session.run(FIND_PROFILES, [caller.apiKeyId, shown])
  const profiles = new Map(found.map(({ userId, profile }) => [userId, profile]))
  const shownAs = (value: unknown) => (isPerson(value) ? { ...value, ...profiles.get(value.userId) } : value)
  const inData = (data: object) => Object.fromEntries(Object.entries(data).map(([name, one]) => [name, shownAs(one)]))
  return (content) => ({
    ...content,
    ...Object.fromEntries(
      TEMPLATE_DATA.flatMap((name) => (content[name] === undefined ? [] : [[name, inData(Object(content[name]))]])),
    ),
  })
}

function recordOf(
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
