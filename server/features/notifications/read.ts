/** Reads notifications, and marks them as read for a user (rules/comments.md#notifications). */
import { LIMITS } from '#contract/core/limits.ts'
import type { DataOf } from '#contract/core/operation.ts'
import type { getNotifications, Notification, updateNotifications } from '#contract/notifications/notifications.ts'
import { decideDocuments, requireOpenDocument } from '#features/permissions/shared.ts'
import type { HandlerResult } from '#http/responses/respond.ts'
import type { Kernel } from '#kernel'
import type { Db, Session } from '#platform/db/db.ts'
import { cutPage } from '#platform/secrets/page-token.ts'
import { invalidArgument } from '#platform/status-error.ts'
import type { UserCaller } from '#tenancy/callers/caller.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import {
  type AnyCaller,
  isUser,
  ownerOfPages,
  requestedUser,
  requireOwnUser,
  withoutAddresses,
} from '#tenancy/callers/own-user.ts'
import { requireDocumentOrOrganization, requireResource } from '#tenancy/existence.ts'
import { changeOrganizations, lockOrganization } from '#tenancy/writes/organization.ts'
import { requireSignedIn } from '#tenancy/writes/signed-in.ts'
import {
  LIST_NOTIFICATIONS_BY_DOCUMENT,
  LIST_NOTIFICATIONS_BY_ID,
  LIST_NOTIFICATIONS_BY_USER,
  type NotificationRow,
} from './read-statements.ts'
import { hasAccessContext, recordsOf } from './records.ts'
import { UPDATE_NOTIFICATIONS } from './statements.ts'

type Data = DataOf<typeof getNotifications>

/** The position of a notification: its time and id. */
type Position = readonly [number, string] | null

export function createGetNotifications({ db, pageTokens }: Pick<Kernel, 'db' | 'pageTokens'>) {
  async function read(session: Session, caller: AnyCaller, data: Data): Promise<HandlerResult<Notification[]>> {
    const { organizationId, order = 'desc', pageSize = LIMITS.pageSizeMax, pageToken, ...filters } = data
    const { documentId, userId } = filters
    const key = organizationKey(caller, organizationId)
    const scope = ['notifications.get', ownerOfPages(caller), organizationId, order, filters]
    const token = pageTokens.decode(scope, pageToken)
    if (isUser(caller) && documentId !== undefined)
      await requireOpenDocument(session, caller, { organizationId, documentId })
    // For a user, an organization that does not exist is like one without notifications.
    const resourceKey =
      isUser(caller) && documentId === undefined ? null : await requireDocumentOrOrganization(session, key, documentId)
    // A page of a user is filled up until it is full or the last one: a shorter one would reveal that something is hidden.
    const isOfUser = userId !== undefined
    const wanted = { ...filters, organizationId, order, resourceKey, closed: new Set<string>() }
    const found: NotificationRow[] = []
    let page = found
    let after = token === null ? null : (JSON.parse(token) as Position)
    // Whether there is another page, is asked of what the user sees.
    for (let size = isOfUser ? pageSize + 1 : pageSize; ; size = LIMITS.pageSizeMax) {
      const { shown, last } = await listed(session, caller, { ...wanted, after, size })
      found.push(...shown)
      after = last === undefined ? null : [last.timestamp, last.id]
      page = isOfUser ? found.slice(0, fitting(found, pageSize)) : found
      if (!isOfUser || page.length < found.length || after === null) break
    }
    const end = found.length > page.length ? page.at(-1) : undefined
    const next = end === undefined ? after : [end.timestamp, end.id]
    const nextPageToken = next && pageTokens.encode(scope, JSON.stringify(next))
    const records = await recordsOf(session, page, { caller, organizationId, userId })
    return {
      data: withoutAddresses(caller, records),
      ...(nextPageToken && { nextPageToken, pageToken: nextPageToken }),
    }
  }

  return async (caller: AnyCaller, data: Data): Promise<HandlerResult<Notification[]>> => {
    if (isUser(caller)) {
      const userId = requestedUser(caller, data.userId, 'userId')
      return db.transaction((session) => read(session, caller, { ...data, userId }), { snapshot: true })
    }
    if (data.documentId === undefined && data.userId === undefined) throw documentOrUserMissing()
    return read(db, caller, data)
  }
}

/** Returns how many rows a page has: those that begin within its bytes. What is hidden does not count. */
function fitting(rows: readonly NotificationRow[], pageSize: number): number {
  let bytes = 0
  let count = 0
  for (const { content, thread, comment } of rows) {
    if (count === pageSize || bytes >= LIMITS.pageBytesMax) break
    bytes += JSON.stringify([content, thread, comment]).length
    count++
  }
  return count
}

interface Wanted extends Pick<Data, 'organizationId' | 'locationId' | 'notificationIds' | 'userId'> {
  order: 'asc' | 'desc'
  resourceKey: string | null
  after: Position
  size: number
  /** The documents that are known not to be open to the user, by their resource keys. Those that are found are added. */
  closed: Set<string>
}

/** Returns the notifications of a page, without those that need access that the user does not have. Each document is decided once. */
async function listed(
  session: Session,
  caller: AnyCaller,
  { organizationId, order, resourceKey, after, size, closed, ...filters }: Wanted,
): Promise<{ shown: NotificationRow[]; last: NotificationRow | undefined }> {
  const { locationId = null, notificationIds = null, userId } = filters
  const lists =
    notificationIds !== null
      ? LIST_NOTIFICATIONS_BY_ID
      : resourceKey !== null
        ? LIST_NOTIFICATIONS_BY_DOCUMENT
        : LIST_NOTIFICATIONS_BY_USER
  const key = organizationKey(caller, organizationId)
  const [afterMs, afterId] = after ?? [null, null]
  const values = [key, afterMs, afterId, size + 1, caller.apiKeyId, resourceKey, locationId, notificationIds]
  const rows = await session.run(lists[order], [...values, userId ?? null, [...closed]])
  const { page, last } = cutPage(rows, size, ({ isScanEnd }) => isScanEnd)
  const checked = userId === undefined ? [] : page.filter(({ requiresAccess }) => requiresAccess)
  const documents = new Map(checked.map((row) => [row.documentId, row.resourceKey]))
  const pairs = [...documents.keys()].map((documentId) => ({ userId: userId ?? '', documentId }))
  const isOpen = await decideAccess(session, caller, organizationId, pairs)
  for (const [documentId, document] of documents) if (!isOpen(userId ?? '', documentId)) closed.add(document)
  const isShown = (row: NotificationRow) =>
    row.matches && !(row.requiresAccess && closed.has(row.resourceKey)) && !(isUser(caller) && hasAccessContext(row))
  return { shown: page.filter(isShown), last }
}

/** Marks notifications of a user as read. Returns each, and whether the inbox lists it. */
export function markAsRead(
  db: Db,
  caller: UserCaller,
  data: DataOf<typeof updateNotifications>,
): Promise<(readonly [string, boolean])[]> {
  const { organizationId, documentId, locationId = null } = data
  const { userId } = caller
  requireOwnUser(caller, data.userId)
  for (const [index, { id, readByUserIds = [], persistReadForUsers, ...change }] of data.notifications.entries()) {
    for (const reader of readByUserIds) requireOwnUser(caller, reader)
    const faults = Object.keys(change).map((name) => {
      const field = `notifications[${index}].${name}`
      return { field, message: `${field} must not be given with a user token` }
    })
    if (faults.length > 0) throw invalidArgument(faults)
  }
  const byId = new Map(data.notifications.map((notification) => [notification.id, notification]))
  const ids = [...byId.keys()]
  const key = organizationKey(caller, organizationId)
  return changeOrganizations(db, caller, [key], async (session) => {
    await lockOrganization(session, key)
    await requireSignedIn(session, caller)
    if (documentId !== undefined) await requireOpenDocument(session, caller, { organizationId, documentId })
    const resourceKey =
      documentId === undefined ? null : await requireResource(session, key, { type: 'document', id: documentId })
    const inbox = {
      organizationId,
      order: 'asc' as const,
      resourceKey,
      after: null,
      size: ids.length,
      closed: new Set<string>(),
    }
    const { shown } = await listed(session, caller, { ...inbox, notificationIds: ids, userId })
    const outcomes = await session.runSet(
      UPDATE_NOTIFICATIONS,
      shown.map(({ id }) => ({
        organizationKey: key,
        notificationId: id,
        ...{ resourceKey, locationId, userId },
        ...{ changes: {}, actorId: null, newLocationId: null, named: null },
        readers: JSON.stringify([userId]),
        persistsRead: byId.get(id)?.persistReadForUsers ?? false,
      })),
    )
    return [
      ...ids.map((id) => [id, false] as const),
      ...outcomes.map(({ notificationId, found }) => [notificationId, found] as const),
    ]
  })
}

const documentOrUserMissing = () =>
  invalidArgument([{ field: 'documentId', message: 'documentId is required unless userId is given' }])

/** Returns a function that says whether a document is open to a user now, for each of the pairs. */
export async function decideAccess(
  session: Session,
  caller: AnyCaller,
  organizationId: string,
  pairs: readonly { userId: string; documentId: string }[],
): Promise<(userId: string, documentId: string) => boolean> {
  const decisions = await decideDocuments(session, caller, organizationId, pairs)
  const open = new Set(
    pairs.flatMap(({ userId, documentId }, index) =>
      decisions[index]?.allowed === true ? [keyOf(userId, documentId)] : [],
    ),
  )
  return (userId, documentId) => open.has(keyOf(userId, documentId))
}

const keyOf = (userId: string, documentId: string): string => JSON.stringify([userId, documentId])
