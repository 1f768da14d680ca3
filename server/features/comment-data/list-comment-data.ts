/** Lists threads, notifications and activities as they are stored (rules/comments.md#moving). */
import type { listCommentData, StoredDataKind } from '#contract/comments/comment-data.ts'
import type { OrganizationKey } from '#contract/core/ids.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { DataOf, ResultOf } from '#contract/core/operation.ts'
import type { Kernel } from '#kernel'
import type { Db } from '#platform/db/db.ts'
import type { Paged } from '#platform/secrets/page-token.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import { requireOrganization } from '#tenancy/existence.ts'
import {
  LIST_STORED_ACTIVITIES,
  LIST_STORED_NOTIFICATIONS,
  LIST_STORED_PREFERENCES,
  LIST_STORED_RECIPIENTS,
  LIST_STORED_THREADS,
  type StoredCommentRow,
  type StoredThreadRow,
} from './list-statements.ts'

type Stored = ResultOf<typeof listCommentData>
type Cursor = readonly [string, string]

interface Listed {
  /** The row's place in the order. */
  at: Cursor
  hasNext?: boolean
}

/** Reads rows after a cursor, and makes the result from the rows on the page. */
interface List<Row> {
  read(db: Db, key: OrganizationKey, after: Cursor, limit: number): Promise<(Row & { hasNext?: boolean })[]>
  at(row: Row): Cursor
  result(rows: readonly Row[]): Stored
}

const listOf =
  <Row>(list: List<Row>) =>
  async (db: Db, key: OrganizationKey, after: Cursor, limit: number) => {
    const rows = await list.read(db, key, after, limit)
    return {
      rows: rows.map((row): Listed => ({ at: list.at(row), ...(row.hasNext && { hasNext: true }) })),
      result: (count: number) => list.result(rows.slice(0, count)),
    }
  }

const LISTS: Record<StoredDataKind, ReturnType<typeof listOf>> = {
  threads: listOf({
    read: (db, key, after, limit) => db.run(LIST_STORED_THREADS, [key, ...after, limit]),
    at: ({ annotationId, documentId }) => [annotationId, documentId],
    result: (threads) => ({
      threads: threads.map(threadData),
      comments: threads.flatMap(({ documentId, annotationId, comments }) =>
        comments.slice(1).map((comment) => ({ documentId, annotationId, ...commentData(comment) })),
      ),
      threadUsers: threads.flatMap(({ documentId, annotationId, users }) =>
        users.map(({ userId, subscription, isManual, contact, seenThrough, seenAt }) => ({
          ...{ documentId, annotationId, userId },
          ...(subscription !== null && { subscription }),
          ...(isManual && { isManual }),
          ...(contact !== null && { contact }),
          ...(seenThrough > 0 && { seenThrough }),
          ...(seenAt !== null && { seenAt }),
        })),
      ),
    }),
  }),
  notifications: listOf({
    read: (db, key, after, limit) => db.run(LIST_STORED_NOTIFICATIONS, [key, ...after, limit]),
    at: ({ notificationId }) => [notificationId, ''],
    result: (rows) => ({
      notifications: rows.map(({ documentId, notificationId, timestamp, notificationSource, content, ...row }) => ({
        ...{ documentId, notificationId, timestamp, notificationSource },
        ...(row.actionType !== null && { actionType: row.actionType }),
        ...(row.targetAnnotationId !== null && { targetAnnotationId: row.targetAnnotationId }),
        ...(row.targetCommentId !== null && { targetCommentId: row.targetCommentId }),
        ...(row.notifyAll ? {} : { notifyAll: false }),
        ...(row.requiresAccess && { requiresAccess: true }),
        ...content,
      })) as Stored['notifications'],
    }),
  }),
  notificationRecipients: listOf({
    read: (db, key, after, limit) => db.run(LIST_STORED_RECIPIENTS, [key, ...after, limit]),
    at: ({ userId, notificationId }) => [userId, notificationId],
    result: (rows) => ({
      notificationRecipients: rows.map(({ notificationId, userId, isNamed, email, readAt, isHidden }) => ({
        ...{ notificationId, userId },
        ...(isNamed && { isNamed }),
        ...(email !== null && { email }),
        ...(readAt !== null && { readAt }),
        ...(isHidden && { isHidden }),
      })),
    }),
  }),
  notificationPreferences: listOf({
    read: (db, key, after, limit) => db.run(LIST_STORED_PREFERENCES, [key, ...after, limit]),
    at: ({ userId, documentId }) => [userId, documentId],
    result: (rows) => ({
      notificationPreferences: rows.map(({ userId, documentId, config }) => ({
        userId,
        ...(documentId !== '' && { documentId }),
        config,
      })),
    }),
  }),
  activities: listOf({
    read: (db, key, after, limit) => db.run(LIST_STORED_ACTIVITIES, [key, ...after, limit]),
    at: ({ id }) => [id, ''],
    result: (rows) => ({
      activities: rows.map(({ documentId, id, timestamp, featureType, actionType, content, ...row }) => ({
        ...{ documentId, id, timestamp, featureType, actionType },
        ...(row.targetEntityId !== null && { targetEntityId: row.targetEntityId }),
        ...(row.targetSubEntityId !== null && { targetSubEntityId: row.targetSubEntityId }),
        ...(row.immutable && { immutable: true }),
        ...(row.isOfPrivateThread && { isOfPrivateThread: true }),
        ...content,
      })) as Stored['activities'],
    }),
  }),
}

export const createListCommentData =
  ({ db, pageTokens }: Kernel) =>
  async (caller: Caller, data: DataOf<typeof listCommentData>): Promise<Paged<Stored>> => {
    const { organizationId, kind, pageSize = LIMITS.pageSizeMax, pageToken } = data
    const key = organizationKey(caller, organizationId)
    const scope = ['comment-data.list', caller.apiKeyId, organizationId, kind]
    const token = pageTokens.decode(scope, pageToken)
    await requireOrganization(db, key)
    const after: Cursor = token === null ? ['', ''] : JSON.parse(token)
    const { rows, result } = await LISTS[kind](db, key, after, pageSize + 1)
    const { page, next } = pageTokens.cut(scope, rows, pageSize, ({ at }) => JSON.stringify(at))
    return { data: result(page.length), ...next }
  }

type Thread = NonNullable<Stored['threads']>[number]

/** Returns content without the fields that the service adds to it: the type of an agent, the keys of organizations. */
function ownContent(content: object): object {
  const { agent, visibility, ...own } = content as { agent?: { agentType?: string }; visibility?: object }
  const { agentType: _, ...ownAgent } = agent ?? {}
  const { organizationKeys: _keys, ...ownVisibility } = (visibility ?? {}) as { organizationKeys?: string[] }
  return { ...own, ...(agent && { agent: ownAgent }), ...(visibility && { visibility: ownVisibility }) }
}

const commentData = ({ commentId, position, createdAt, lastUpdated, content }: StoredCommentRow): Thread['comment'] =>
  ({ commentId, position, createdAt, lastUpdated, ...ownContent(content) }) as Thread['comment']

function threadData(row: StoredThreadRow): Thread {
  const { documentId, annotationId, createdAt, lastUpdated, commentsWritten, comments, content } = row
  const [root] = comments
  return {
    ...{ documentId, annotationId, createdAt, lastUpdated },
    ...ownContent(content),
    commentsWritten,
    ...(root && { comment: commentData(root) }),
  } as Thread
}
