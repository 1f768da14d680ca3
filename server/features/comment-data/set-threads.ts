/** Writes stored threads, comments, and who follows them. */

import {
  type CommentContent,
  checkAgent,
  checkContext,
  checkSize,
  checkVisibility,
  Faults,
  peopleOfComment,
  peopleOfThread,
  type ThreadContent,
  usersOfComments,
  wordsOf,
} from '#features/comments/shared.ts'
import { organizationKey, organizationKeys } from '#tenancy/callers/keys.ts'
import { ERASED } from '#tenancy/principals.ts'
import { type CommentRow, SET_COMMENTS } from './stored-comment-statements.ts'
import {
  ADD_THREAD_USERS,
  REFRESH_THREADS,
  SET_THREAD_USERS,
  SET_THREADS,
  type ThreadKey,
  type ThreadRow,
  type ThreadUserRow,
} from './thread-statements.ts'
import { lastOf, type Outcomes, type Placed, type Records, timeOf, type Writing, writeRows } from './writing.ts'

type ThreadRecord = Placed<Records<'threads'>[number]>
type CommentRecord = ThreadRecord['comment'] &
  Pick<ThreadRecord, 'documentId' | 'annotationId' | 'resourceKey' | 'index'>
type Row<Of> = Of & { index: number }

const keyOf = ({ resourceKey, annotationId }: ThreadKey) => [resourceKey, annotationId]

/** Returns the row of a comment; its faults are added to `faults`. */
function commentRow(writing: Writing, record: CommentRecord, field: string, isRoot: boolean, faults: Faults) {
  const { index, documentId, annotationId, resourceKey, commentId, position, createdAt, lastUpdated, ...sent } = record
  const words = wordsOf(writing.prefix)
  const { context, agent, ...own } = sent
  const content: CommentContent = {
    ...own,
    ...(context && { context: checkContext(context, `${field}.context`, words, faults) }),
    ...(agent && { agent: checkAgent(agent, `${field}.agent`, words, faults) }),
  }
  return {
    ...{ index, documentId, annotationId, resourceKey, commentId, position, isRoot, content },
    organizationKey: organizationKey(writing.caller, writing.organizationId),
    createdAt: timeOf(createdAt),
    lastUpdated: timeOf(lastUpdated),
    bytes: checkSize(content, field, faults),
    actor: writing.caller.actor,
  } satisfies Row<CommentRow>
}

function threadRow(
  writing: Writing,
  record: ThreadRecord,
  faults: Faults,
): Row<ThreadRow> & { content: ThreadContent } {
  const { index, documentId, annotationId, resourceKey, createdAt, lastUpdated, commentsWritten, comment, ...sent } =
    record
  const field = `threads[${index}]`
  const words = wordsOf(writing.prefix)
  const keyOfOrganization = organizationKeys(writing.caller)
  const { visibility = { type: 'public' as const }, context, agent, type = 'comment', ...own } = sent
  const visible = { authorId: own.from.userId, keyOf: keyOfOrganization, faults }
  const content: ThreadContent = {
    ...own,
    type,
    visibility: checkVisibility(visibility, `${field}.visibility`, visible),
    ...(context && { context: checkContext(context, `${field}.context`, words, faults) }),
    ...(agent && { agent: checkAgent(agent, `${field}.agent`, words, faults) }),
  }
  checkSize(content, field, faults)
  return {
    ...{ index, documentId, annotationId, resourceKey, content, rootId: comment.commentId },
    organizationKey: keyOfOrganization(writing.organizationId),
    createdAt: timeOf(createdAt),
    lastUpdated: timeOf(lastUpdated),
    commentsWritten: Math.max(commentsWritten ?? 0, comment.position),
    actor: writing.caller.actor,
  }
}

/** The authors and mentioned users follow a thread, unless `threadUsers` says otherwise. Pseudonyms of erased users do not count. */
function usersOf(thread: ThreadKey, people: Iterable<string>, comments: readonly CommentContent[]): ThreadUserRow[] {
  const { organizationKey, resourceKey, annotationId } = thread
  const following = new Map(usersOfComments(comments).map((user) => [user.userId, user]))
  return [...new Set([...people, ...following.keys()])]
    .filter((userId) => !userId.startsWith(ERASED))
    .map((userId) => ({
      ...{ organizationKey, resourceKey, annotationId, userId, isManual: false, seenThrough: 0, seenAt: null },
      subscription: following.get(userId)?.subscription ?? null,
      contact: following.get(userId)?.contact ?? null,
    }))
}

/** Writes comments and whom they name, and counts the comments of their threads. */
async function writeComments({ session }: Writing, rows: readonly Row<CommentRow>[], users: readonly ThreadUserRow[]) {
  const outcomes = await writeRows(session, SET_COMMENTS, rows)
  const written = new Set(
    outcomes.flatMap(([, outcome], nth) => (outcome === 'ok' ? [keyOf(rows[nth] as CommentRow).join(' ')] : [])),
  )
  const isWritten = (row: ThreadKey) => written.has(keyOf(row).join(' '))
  await session.runSet(REFRESH_THREADS, lastOf(rows.filter(isWritten), keyOf))
  await session.runSet(
    ADD_THREAD_USERS,
    lastOf(users.filter(isWritten), (user) => [...keyOf(user), user.userId]),
  )
  return outcomes
}

export async function setThreads(writing: Writing, records: ThreadRecord[]): Promise<Outcomes> {
  const faults = new Faults()
  const last = lastOf(records, ({ resourceKey, annotationId }) => [resourceKey, annotationId])
  const threads = last.map((record) => threadRow(writing, record, faults))
  const roots = last.map((record) => {
    const { index, documentId, annotationId, resourceKey, comment } = record
    const named = { index, documentId, annotationId, resourceKey, ...comment }
    return commentRow(writing, named, `threads[${index}].comment`, true, faults)
  })
  faults.refuse()
  await writing.session.runSet(SET_THREADS, threads)
  const users = threads.flatMap((thread, nth) => {
    const root = roots[nth]?.content
    return usersOf(thread, peopleOfThread(thread.content).keys(), root ? [root] : [])
  })
  const named = roots.flatMap((root) => usersOf(root, peopleOfComment(root.content).keys(), []))
  return writeComments(writing, roots, [...named, ...users])
}

export function setComments(writing: Writing, records: Placed<Records<'comments'>[number]>[]): Promise<Outcomes> {
  const faults = new Faults()
  const last = lastOf(records, (record) => [record.resourceKey, record.annotationId, record.commentId])
  const rows = last.map((record) => commentRow(writing, record, `comments[${record.index}]`, false, faults))
  faults.refuse()
  const users = rows.flatMap((row) => usersOf(row, peopleOfComment(row.content).keys(), [row.content]))
  return writeComments(writing, rows, users)
}

export function setThreadUsers(writing: Writing, records: Placed<Records<'threadUsers'>[number]>[]): Promise<Outcomes> {
  const rows = records.map((record): Row<ThreadUserRow> => {
    const {
      index,
      resourceKey,
      annotationId,
      userId,
      subscription = null,
      isManual = false,
      seenThrough = 0,
      seenAt,
    } = record
    return {
      ...{ index, resourceKey, annotationId, userId, subscription, isManual, seenThrough },
      organizationKey: organizationKey(writing.caller, writing.organizationId),
      contact: record.contact ?? null,
      seenAt: seenAt === undefined ? null : timeOf(seenAt),
    }
  })
  return writeRows(
    writing.session,
    SET_THREAD_USERS,
    lastOf(rows, (row) => [...keyOf(row), row.userId]),
  )
}
