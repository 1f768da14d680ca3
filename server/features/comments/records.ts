/**
 * The API representation of threads and comments. People are shown with their current profiles
 * (rules/comments.md#people). Fields that are undefined are omitted from the JSON.
 */
import type { CommentRecord, ThreadRecord } from '#contract/comments/records.ts'
import { type BatchResult, failed } from '#contract/core/envelope.ts'
import type { Session } from '#platform/db/db.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { type AnyCaller, isUser } from '#tenancy/callers/own-user.ts'
import { locationNumber } from '#tenancy/locations.ts'
import { COMMENT_PARAMETER, webAddress } from '#tenancy/page-addresses.ts'
import { FIND_PROFILES } from '#tenancy/profiles.ts'
import { accessFieldsOf, type Contact, type ThreadContent, userHash } from './content.ts'
import { knownPeople, type NamedPeople } from './people/known.ts'
import type { StoredComment, StoredSubscription, StoredThread } from './threads/read-statements.ts'
import type { Words } from './words.ts'

/** The fields of a profile that replace those which a caller named inline. */
const SHOWN = ['name', 'email', 'photoUrl', 'color', 'textColor'] as const

/** Returns a person as shown: with the newest values that the profile has. */
export type Show = (contact: Contact) => Contact

/** Reads the profiles of people once, and returns a function that shows each of them. */
export async function showing(
  db: Pick<Session, 'run'>,
  { apiKeyId }: Pick<Caller, 'apiKeyId'>,
  userIds: ReadonlySet<string>,
): Promise<Show> {
  if (userIds.size === 0) return (contact) => contact
  const rows = await db.run(FIND_PROFILES, [apiKeyId, [...userIds]])
  const shown = new Map(
    rows.map(({ userId, profile }) => [
      userId,
      Object.fromEntries(SHOWN.flatMap((name) => (profile[name] === undefined ? [] : [[name, profile[name]]]))),
    ]),
  )
  return (contact) => ({ ...contact, ...shown.get(contact.userId) })
}

/** Returns a function that shows people to a caller: to a user, with the profiles of those alone whom the user may know. */
export async function showingTo(
  session: Pick<Session, 'run' | 'runSet'>,
  caller: AnyCaller,
  people: readonly NamedPeople[],
): Promise<Show> {
  const [shown] = isUser(caller)
    ? await knownPeople(session, [{ readerId: caller.userId, people }])
    : [new Set(people.flatMap(({ acting, named }) => [...acting, ...named]))]
  return showing(session, caller, shown ?? new Set())
}

/** Returns the people whom comments of a document show. */
export const peopleInComments = (
  contents: readonly { from: Contact; taggedUserContacts?: readonly { userId: string }[] }[],
): Pick<NamedPeople, 'acting' | 'named'> => ({
  acting: contents.map(({ from }) => from.userId),
  named: contents.flatMap(({ taggedUserContacts = [] }) => taggedUserContacts.map(({ userId }) => userId)),
})

/** Returns the people whom a thread shows. */
export function peopleInThread({ content, comments, subscriptions }: StoredThread) {
  const { from, assignedTo, resolvedByUserId } = content
  const { acting, named } = peopleInComments(comments.map((comment) => comment.content))
  const followers = Map.groupBy(subscriptions, ({ isManual }) => isManual)
  const idsOf = (isManual: boolean) => (followers.get(isManual) ?? []).map(({ userId }) => userId)
  return {
    acting: [from.userId, ...(resolvedByUserId === undefined ? [] : [resolvedByUserId]), ...acting, ...idsOf(true)],
    named: [...(assignedTo === undefined ? [] : [assignedTo.userId]), ...named, ...idsOf(false)],
  }
}

/** Returns the ids of everybody whom a thread shows. */
export function shownInThread(thread: StoredThread): string[] {
  const { acting, named } = peopleInThread(thread)
  return [...acting, ...named]
}

export function commentRecord(
  { commentId, createdAt, lastUpdated, content }: StoredComment,
  show: Show,
): CommentRecord {
  const { from, taggedUserContacts = [], agent } = content
  const mentioned = new Map(
    taggedUserContacts.map(({ userId, contact, ...tag }) => {
      const shown = show({ ...contact, userId })
      return [userId, { userId, contact: shown, ...tag }]
    }),
  )
  return {
    commentId,
    type: 'text',
    status: content.status ?? 'added',
    isDraft: false,
    isCommentTextAvailable: content.isCommentTextAvailable,
    commentText: content.commentText ?? '',
    commentHtml: content.commentHtml,
    createdAt,
    lastUpdated: new Date(lastUpdated).toISOString(),
    from: show(from),
    to: [...mentioned.values()].map(({ contact }) => contact),
    taggedUserContacts: taggedUserContacts.map((tag) => ({
      ...tag,
      contact: show({ ...tag.contact, userId: tag.userId }),
    })),
    attachments: content.attachments ?? [],
    context: content.context,
    progress: content.progress,
    actions: content.actions,
    ...(agent && { sourceType: 'agent' as const, agent }),
    reactionAnnotationIds: [],
    recorders: [],
    toOrganizationUserGroup: [],
    customList: [],
  } as CommentRecord
}

const subscriptionsOf = (
  all: readonly StoredSubscription[],
  isMeant: (subscription: StoredSubscription) => boolean,
  show: Show,
): ThreadRecord['subscribedUsers'] =>
  Object.fromEntries(
    all
      .filter(isMeant)
      .map(({ userId, contact, isManual }) => [
        userHash(userId),
        { user: show(contact ?? { userId }), type: isManual ? ('manual' as const) : ('auto' as const) },
      ]),
  )

function involvedIn({ content, comments, mentionedUserIds }: StoredThread): string[] {
  const { from, assignedTo } = content
  const authors = comments.map((comment) => comment.content.from.userId)
  const assignees = assignedTo === undefined ? [] : [assignedTo.userId]
  return [...new Set([from.userId, ...authors, ...mentionedUserIds, ...assignees])]
}

function contextOf(content: ThreadContent, words: Words): ThreadRecord['context'] {
  const { context, visibility } = content
  if (context === undefined && visibility.type === 'public') return undefined
  return { ...context, accessFields: accessFieldsOf(content, words.privateSelf) }
}

/** Returns the page of a thread, with the address at which front ends open the thread. */
export function pageInfoOf<Info extends NonNullable<ThreadContent['pageInfo']>>(
  pageInfo: Info,
  annotationId: string,
): Info & { commentUrl?: string } {
  const page = webAddress(pageInfo.url)
  if (page === undefined || 'commentUrl' in pageInfo) return pageInfo
  page.searchParams.set(COMMENT_PARAMETER, annotationId)
  return { ...pageInfo, ...{ commentUrl: page.href } }
}

/** Returns a thread as reads return it. */
export function threadRecord(
  stored: StoredThread,
  {
    caller,
    organizationId,
    words,
    show,
  }: { caller: Pick<AnyCaller, 'apiKeyId'>; organizationId: string; words: Words; show: Show },
): ThreadRecord {
  const { content, subscriptions } = stored
  const { from, assignedTo, resolvedByUserId, location, visibility, agent, ...own } = content
  const { organizationKeys: _ours, ...visibilityConfig } = visibility
  return {
    annotationId: stored.annotationId,
    ...withoutVisibility(own),
    createdAt: stored.createdAt.getTime(),
    lastUpdated: stored.lastUpdated.getTime(),
    sourceType: agent === undefined ? 'rest-api' : 'agent',
    pageInfo: own.pageInfo && pageInfoOf(own.pageInfo, stored.annotationId),
    location,
    locationId: location && locationNumber(location.id),
    context: contextOf(content, words),
    visibilityConfig,
    metadata: {
      apiKey: caller.apiKeyId,
      organizationId,
      documentId: stored.documentId,
      // A user who can open the document need not know its folder.
      ...(stored.folderId === null || 'userId' in caller ? {} : { folderId: stored.folderId }),
    },
    from: show(from),
    assignedTo: assignedTo && show(assignedTo),
    resolvedByUserId,
    resolvedByUser: resolvedByUserId === undefined ? undefined : show({ userId: resolvedByUserId }),
    subscribedUsers: subscriptionsOf(subscriptions, ({ state }) => state === 'subscribed', show),
    unsubscribedUsers: subscriptionsOf(subscriptions, ({ state }) => state !== 'subscribed', show),
    subscribedGroups: {},
    customList: [],
    comments: stored.comments.map((comment) => commentRecord(comment, show)),
    involvedUserIds: involvedIn(stored),
    mentionedUserIds: stored.mentionedUserIds,
    agent,
  } as ThreadRecord
}

/** `context` is shown with its access fields. */
const withoutVisibility = ({ context: _context, ...own }: Omit<ThreadContent, 'from' | 'visibility'>) => own

const DENIED = 'Only the author of the thread or an editor of the document may do this; some fields only the author.'

/** Returns a success for each `asked` thread among `found`, and a failure for the others; the user may not change `denied` ones. */
export function threadResults(
  asked: readonly string[],
  found: ReadonlySet<string>,
  message: string,
  { missing = 'There is no such thread.', denied }: { missing?: string | undefined; denied?: ReadonlySet<string> } = {},
): BatchResult {
  const resultOf = (id: string) =>
    denied?.has(id) ? failed(id, 'permission-denied', DENIED) : failed(id, 'not-found', missing)
  return Object.fromEntries(asked.map((id) => [id, found.has(id) ? { success: true, id, message } : resultOf(id)]))
}
