/** Converts the threads of a hosted service, with their comments and who follows them. */
import { pinFields } from '#contract/comments/parts.ts'
import type { Answer } from './lines.ts'
import type { Organization } from './organization.ts'
import { type Item, isNumberedId, type Output, objectOf, pick } from './output.ts'

const OF_THREAD = [
  ...['location', 'targetElement', 'status', 'assignedTo', 'priority', 'context', 'suggestion', 'actions'],
  ...[
    'createdAt',
    'lastUpdated',
    'type',
    'commentType',
    'pageInfo',
    'from',
    'statusUpdatedByUserId',
    'resolvedByUserId',
  ],
  ...Object.keys(pinFields),
]
const OF_COMMENT = [
  ...['commentId', 'createdAt', 'from', 'commentText', 'commentHtml', 'taggedUserContacts', 'attachments'],
  ...['context', 'progress', 'actions', 'isCommentTextAvailable'],
]

const itemsOf = (value: unknown): Item[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'object' && one !== null) : []

/** Returns whether a list or a map is not empty. */
export const isFilled = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0

/** Returns `{ context }` without the fields that the service computes, or nothing. */
export const withoutAccessFields = (context: unknown): Item => {
  const { accessFields: _, ...own } = Object(context) as Item
  return isFilled(own) ? { context: own } : {}
}

/** Returns the document of an item, the caller's id before that of the service. */
export const documentOf = (item: Item): unknown => {
  const metadata = Object(item.metadata) as Item
  return metadata.clientDocumentId ?? metadata.documentId
}

/** Returns the document of an item if it is moved; refuses the line otherwise. */
export function movedDocument(
  line: number,
  what: string,
  item: Item,
  organization: Organization,
  output: Output,
): unknown {
  const documentId = documentOf(item)
  if (documentId !== undefined && organization.has('document', String(documentId))) return documentId
  output.refuse(line, what, 'parent_not_moved', `its document ${documentId} is refused or not in the file`)
  return undefined
}

/** The features that threads of Commonhold do not have, each named once. */
function sayWhatIsLeftOut(line: number, what: string, thread: Item, comments: readonly Item[], output: Output): void {
  const leaveOut = (reason: string, message: string) => output.once('leftOut', line, what, reason, message)
  leaveOut(
    'seen_unknown',
    'the service does not return what users have seen: authors have seen up to their own comments',
  )
  if (thread.annotationNumber !== undefined || thread.annotationIndex !== undefined)
    leaveOut('thread_number', 'threads have no numbers here')
  if (isFilled(thread.customList) || comments.some(({ customList }) => isFilled(customList)))
    leaveOut('custom_list', 'threads have no custom lists here')
  if (isFilled(thread.subscribedGroups)) leaveOut('subscribed_groups', 'user groups cannot follow threads here')
  if (
    comments.some(
      ({ reactionAnnotations, reactionAnnotationIds }) =>
        isFilled(reactionAnnotations) || isFilled(reactionAnnotationIds),
    )
  )
    leaveOut('reactions', 'comments have no reactions here')
  if (comments.some(({ recorders }) => isFilled(recorders)))
    leaveOut('recordings', 'Commonhold keeps no recordings: the comments are moved without them')
}

/** Agents of the service do not exist here; their comments are kept as those of an external agent of the same id. */
function agentOf(value: unknown, line: number, what: string, output?: Output): Item {
  const { agentType: _, ...agent } = Object(value) as Item
  if (!isFilled(agent)) return {}
  if (agent.agentSource !== 'external')
    output?.change(
      line,
      what,
      'agent_of_the_service',
      `the agent ${agent.agentId} becomes an external one of the same id`,
    )
  return { agent: { ...agent, agentSource: 'external', agentName: agent.agentName ?? agent.agentId } }
}

/** Moments of comments are numbers or texts. */
const millisecondsOf = (value: unknown): unknown => (typeof value === 'string' ? Date.parse(value) : value)

export function convertThread({ line, path, item }: Answer, organization: Organization, output: Output): void {
  if (item === null) return // an unknown id among those that were asked about
  const thread = objectOf(item, line, path, output)
  if (thread === undefined) return
  const { annotationId } = thread
  const what = `thread ${organization.id}/${annotationId}`
  if (isNumberedId(annotationId, 'annotationId', line, what, output)) return
  const documentId = movedDocument(line, what, thread, organization, output)
  if (documentId === undefined) return
  const all = itemsOf(thread.comments)
  const comments = all.filter(({ isDraft }) => isDraft !== true)
  if (comments.length < all.length) output.leaveOut(line, what, 'drafts', 'drafts of comments are not moved')
  if (comments.length === 0)
    return void output.leaveOut(line, what, 'no_comments', 'a thread without comments is none here')
  const at = { organizationId: organization.id, documentId, annotationId }
  const [root, ...more] = comments.map(
    (comment, nth): Item => ({
      ...pick(comment, OF_COMMENT),
      ...withoutAccessFields(comment.context),
      ...agentOf(comment.agent, line, what, output),
      ...(comment.status === 'updated' && { status: 'updated' }),
      lastUpdated: millisecondsOf(comment.lastUpdated ?? comment.createdAt),
      position: nth + 1,
    }),
  )
  const { context: _, ...own } = pick(thread, OF_THREAD)
  const isMoved = output.add(line, what, {
    record: 'thread',
    ...at,
    ...own,
    ...withoutAccessFields(thread.context),
    ...agentOf(thread.agent, line, what), // said of the first comment, which has the same
    visibility: thread.visibilityConfig ?? { type: 'public' },
    comment: root,
  })
  if (!isMoved) return
  sayWhatIsLeftOut(line, what, thread, comments, output)
  for (const comment of more)
    output.add(line, `comment ${what.slice(7)}/${comment.commentId}`, { record: 'comment', ...at, ...comment })
  for (const user of followersOf(thread, comments))
    output.add(line, `follower of ${what}`, { record: 'threadUser', ...at, ...user })
}

/** Returns who follows a thread and who has muted it, and what its authors have seen. */
function followersOf(thread: Item, comments: readonly Item[]): Item[] {
  const userOf = (value: unknown) => Object(value) as Item
  const seen = new Map(comments.map(({ from }, nth) => [userOf(from).userId, nth + 1]))
  const users = new Map<unknown, Item>([...seen].map(([userId, seenThrough]) => [userId, { userId, seenThrough }]))
  const subscribe = (list: unknown, subscription: string) => {
    for (const entry of Object.values(userOf(list))) {
      const { user, type } = userOf(entry)
      const { userId } = userOf(user)
      users.set(userId, {
        userId,
        subscription,
        ...(type === 'manual' && { isManual: true }),
        contact: user,
        ...users.get(userId),
      })
    }
  }
  subscribe(thread.subscribedUsers, 'subscribed')
  subscribe(thread.unsubscribedUsers, 'unsubscribed')
  return [...users.values()]
}
