/** Adds, reads, changes and deletes notifications (rules/comments.md#notifications). */
import { type BatchResult, failed } from '#contract/core/envelope.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { DataOf } from '#contract/core/operation.ts'
import type {
  addNotification,
  deleteNotifications,
  updateNotifications,
} from '#contract/notifications/notifications.ts'
import type { UserRef } from '#contract/users/user-refs.ts'
import { addMissingDocument } from '#features/resources/documents/shared.ts'
import type { HandlerResult } from '#http/responses/respond.ts'
import type { Kernel } from '#kernel'
import type { Session } from '#platform/db/db.ts'
import { invalidArgument } from '#platform/status-error.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import { type AnyCaller, isUser } from '#tenancy/callers/own-user.ts'
import { requireDocumentOrOrganization, requireResource } from '#tenancy/existence.ts'
import { documentDoesNotExist } from '#tenancy/refusals.ts'
import { changeOrganization, changeOrganizations, lockOrganizations } from '#tenancy/writes/organization.ts'
import { newNotificationId } from './comments.ts'
import { createGetNotifications, decideAccess, markAsRead } from './read.ts'
import { LIST_NOTIFICATIONS_BY_ID } from './read-statements.ts'
import {
  ADD_NOTIFICATION,
  DELETE_NOTIFICATIONS_BY_DOCUMENT,
  DELETE_NOTIFICATIONS_BY_ID,
  DELETE_NOTIFICATIONS_BY_LOCATION,
  DELETE_NOTIFICATIONS_BY_USER,
  UPDATE_NOTIFICATIONS,
} from './statements.ts'

export function createNotifications({ db, pageTokens }: Kernel) {
  return {
    async add(caller: Caller, data: DataOf<typeof addNotification>): Promise<void> {
      requireTexts(data)
      requireLawfulContext(data.context, 'context')
      const { organizationId, notificationId, verifyUserPermissions = false, notifyUsers = [], notifyAll = true } = data
      const { notificationSource = 'custom', isNotificationResolverUsed } = data
      const content = { ...contentOf(data), ...(isNotificationResolverUsed && { isNotificationResolverUsed }) }
      const named = namedOf(notifyUsers)
      const key = organizationKey(caller, organizationId)
      await changeOrganizations(db, caller, [key], async (session) => {
        const resourceKey = await findOrAddDocument(session, caller, data)
        const pairs = verifyUserPermissions
          ? [...named.keys()].map((userId) => ({ userId, documentId: data.documentId }))
          : []
        const isOpen = await decideAccess(session, caller, organizationId, pairs)
        const recipients = [...named].filter(([userId]) => !verifyUserPermissions || isOpen(userId, data.documentId))
        await session.run(ADD_NOTIFICATION, [
          key,
          notificationId ?? newNotificationId(),
          resourceKey,
          notificationSource,
          data.actionUser.userId,
          data.location?.id ?? null,
          notifyAll,
          verifyUserPermissions,
          JSON.stringify(content),
          recipients.map(([userId]) => userId),
          recipients.map(([, email]) => email),
        ])
      })
    },

    get: createGetNotifications({ db, pageTokens }),

    async update(caller: AnyCaller, data: DataOf<typeof updateNotifications>): Promise<BatchResult> {
      if (isUser(caller)) return results(await markAsRead(db, caller, data), 'updated')
      const { organizationId, documentId, locationId = null, userId = null, verifyUserPermissions = false } = data
      for (const [index, { context }] of data.notifications.entries())
        requireLawfulContext(context, `notifications[${index}].context`)
      const key = organizationKey(caller, organizationId)
      const byId = new Map(data.notifications.map((notification) => [notification.id, notification]))
      const document = await requireDocumentOrOrganization(db, key, documentId)
      const allows = verifyUserPermissions ? await allowedIn(caller, organizationId, [...byId.values()]) : () => true
      const rows = [...byId].map(([notificationId, { id: _, ...change }]) => {
        const { notifyUsers, readByUserIds = [], persistReadForUsers = false } = change
        const named =
          notifyUsers &&
          [...namedOf(notifyUsers)].flatMap(([one, email]) =>
            allows(notificationId, one) ? [{ userId: one, email }] : [],
          )
        return {
          organizationKey: key,
          notificationId,
          resourceKey: document,
          locationId,
          userId,
          changes: contentOf(change),
          actorId: change.actionUser?.userId ?? null,
          newLocationId: change.location?.id ?? null,
          named: named === undefined ? null : JSON.stringify(named),
          readers: JSON.stringify(readByUserIds.filter((one) => allows(notificationId, one))),
          persistsRead: persistReadForUsers,
        }
      })
      return changeOrganization(db, caller, key, async (session) => {
        const outcomes = await session.runSet(UPDATE_NOTIFICATIONS, rows)
        return results(
          outcomes.map(({ notificationId, found }) => [notificationId, found]),
          'updated',
        )
      })
    },

    async delete(caller: Caller, data: DataOf<typeof deleteNotifications>): Promise<HandlerResult<BatchResult>> {
      const { organizationId, documentId, locationId = null, userId = null, notificationIds = null } = data
      if ([documentId ?? null, locationId, userId, notificationIds].every((filter) => filter === null))
        throw nothingNamed()
      const key = organizationKey(caller, organizationId)
      return changeOrganization(db, caller, key, async (session) => {
        const document =
          documentId === undefined ? null : await requireResource(session, key, { type: 'document', id: documentId })
        const statement =
          notificationIds !== null
            ? DELETE_NOTIFICATIONS_BY_ID
            : userId !== null
              ? DELETE_NOTIFICATIONS_BY_USER
              : document !== null
                ? DELETE_NOTIFICATIONS_BY_DOCUMENT
                : DELETE_NOTIFICATIONS_BY_LOCATION
        const gone = await session.run(statement, [key, document, locationId, userId, notificationIds])
        const asked = (notificationIds ?? []).map((id): [string, boolean] => [id, false])
        const isFull = gone.length === LIMITS.recordsDeletedMax
        return {
          data: results(
            [...asked, ...gone.map(({ notificationId }): [string, boolean] => [notificationId, true])],
            'deleted',
          ),
          ...(isFull && {
            warnings: [
              {
                code: 'more_may_match' as const,
                message: 'There may be more notifications that match; repeat the call.',
              },
            ],
          }),
        }
      })
    },
  }

  /** Returns whether the document of a notification is open to a user whom a change names. */
  async function allowedIn(
    caller: Caller,
    organizationId: string,
    changes: DataOf<typeof updateNotifications>['notifications'],
  ): Promise<(notificationId: string, userId: string) => boolean> {
    const key = organizationKey(caller, organizationId)
    const ids = changes.map(({ id }) => id)
    const rows = await db.run(LIST_NOTIFICATIONS_BY_ID.asc, [
      key,
      null,
      null,
      ids.length,
      caller.apiKeyId,
      null,
      null,
      ids,
      null,
      [],
    ])
    const documentOf = new Map(rows.map(({ id, documentId }) => [id, documentId]))
    const pairs = changes.flatMap(({ id, notifyUsers = [], readByUserIds = [] }) => {
      const documentId = documentOf.get(id)
      const userIds = [...notifyUsers.map(({ userId }) => userId), ...readByUserIds]
      return documentId === undefined ? [] : userIds.map((userId) => ({ userId, documentId }))
    })
    const isOpen = await decideAccess(db, caller, organizationId, pairs)
    return (notificationId, userId) => isOpen(userId, documentOf.get(notificationId) ?? '')
  }
}

/** Returns the key of a document, which is added first if the call allows that. Locks the organization. */
async function findOrAddDocument(
  session: Session,
  caller: Caller,
  data: DataOf<typeof addNotification>,
): Promise<string> {
  const { organizationId, documentId: id, createOrganization = false, createDocument = false } = data
  const organization = {
    organizationKey: organizationKey(caller, organizationId),
    apiKeyId: caller.apiKeyId,
    organizationId,
    createOrganization: createOrganization && createDocument,
  }
  const [locked = organization] = await lockOrganizations(session, [organization])
  if (createDocument) {
    const { migratedTo } = await addMissingDocument(session, caller, { ...locked, documentId: id })
    if (migratedTo !== undefined) throw documentDoesNotExist(migratedTo)
  }
  return requireResource(session, locked.organizationKey, { type: 'document', id })
}

/** Fields that are only stored and returned. */
const CONTENT = new Set([
  'actionUser',
  ...['displayHeadlineMessageTemplate', 'displayHeadlineMessageTemplateData', 'displayBodyMessage'],
  ...['displayBodyMessageTemplate', 'displayBodyMessageTemplateData', 'notificationSourceData'],
  ...['location', 'metadata', 'context'],
])
const contentOf = (data: object): object =>
  Object.fromEntries(Object.entries(data).filter(([name]) => CONTENT.has(name)))

/** Returns the e-mail addresses of users by their ids. */
const namedOf = (users: readonly UserRef[]): Map<string, string | null> =>
  new Map(users.map(({ userId, email = null }) => [userId, email]))

function results(outcomes: readonly (readonly [string, boolean])[], done: 'updated' | 'deleted'): BatchResult {
  const item = (id: string, found: boolean) =>
    found
      ? { success: true, id, message: `Notification ${done} successfully.` }
      : failed(id, 'not-found', 'The notification does not exist, or does not match the filters.')
  return Object.fromEntries(outcomes.map(([id, found]) => [id, item(id, found)]))
}

/** Refuses a notification without its texts, unless they are kept elsewhere. */
function requireTexts(data: DataOf<typeof addNotification>): void {
  if (data.isNotificationResolverUsed) return
  const faults = (['displayHeadlineMessageTemplate', 'displayBodyMessage'] as const).flatMap((field) =>
    data[field] === undefined
      ? [{ field, message: `${field} is required unless isNotificationResolverUsed is true` }]
      : [],
  )
  if (faults.length > 0) throw invalidArgument(faults)
}

/** The list in which accesses are compared also has these, so a field of a context cannot be one of them. */
const RESERVED = /^organizationPrivate$|_private_self$/

/**
 * Refuses a field of an access context that would be taken for visibility, and one that could not be compared. Of a
 * context that is `stored` elsewhere, these are accepted: calls accepted them once, and they match no reader.
 */
export function requireLawfulContext(context: { access?: object } | undefined, path: string, stored = false): void {
  const faults = Object.entries(context?.access ?? {}).flatMap(([name, value]) => {
    const field = `${path}.access.${name}`
    if (RESERVED.test(name)) return [{ field, message: `${field} is refused: the name is reserved for visibility` }]
    const isComparable = stored || typeof value === 'string' || typeof value === 'number'
    return isComparable ? [] : [{ field, message: `${field} must be a text or a number` }]
  })
  if (faults.length > 0) throw invalidArgument(faults)
}

const nothingNamed = () => {
  const message = 'documentId is required unless locationId, userId or notificationIds is given'
  return invalidArgument([{ field: 'documentId', message }])
}
