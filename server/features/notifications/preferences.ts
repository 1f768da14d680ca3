/** Sets and reads the levels of users for each channel (rules/comments.md#preferences). */
import type { OrganizationKey } from '#contract/core/ids.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { DataOf, ResultOf } from '#contract/core/operation.ts'
import {
  DEFAULT_CHANNELS,
  type getNotificationPreferences,
  InboxLevel,
  NotificationLevel,
  type setNotificationPreferences,
} from '#contract/notifications/preferences.ts'
import { openDocuments } from '#features/permissions/shared.ts'
import type { Db, Session } from '#platform/db/db.ts'
import { invalidArgument } from '#platform/status-error.ts'
import type { UserCaller } from '#tenancy/callers/caller.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import { type AnyCaller, isUser, requestedUser } from '#tenancy/callers/own-user.ts'
import { requireOrganization, requireResource } from '#tenancy/existence.ts'
import { documentDoesNotExist } from '#tenancy/refusals.ts'
import { changeOrganization } from '#tenancy/writes/organization.ts'
import { requireSignedIn } from '#tenancy/writes/signed-in.ts'
import {
  CLEAR_PREFERENCES,
  FOLLOW_DOCUMENT,
  GET_PREFERENCES,
  MUTE_DOCUMENT,
  type PreferenceRow,
  SET_PREFERENCES,
} from './preference-statements.ts'

type Channels = ResultOf<typeof getNotificationPreferences>[number]['config']

export const createNotificationPreferences = ({ db }: { db: Db }) => ({
  async set(
    caller: AnyCaller,
    { organizationId, userIds, config, documentIds = [] }: SetData,
  ): Promise<ResultOf<typeof setNotificationPreferences>> {
    const given = Object.entries(config)
    const cleared = given.flatMap(([name, level]) => (level === null ? [name] : []))
    const channels = Object.fromEntries(given.filter(([, level]) => level !== null))
    const setsLevels = cleared.length < given.length
    if (setsLevels || cleared.length === 0) requireLevels(channels, 'config')
    const key = organizationKey(caller, organizationId)
    const users = [...new Set((userIds ?? [undefined]).map((userId) => requestedUser(caller, userId, 'userIds')))]
    await changeOrganization(db, caller, key, async (session) => {
      await requireSignedIn(session, caller)
      const documents = await keysOf(session, caller, organizationId, documentIds)
      // The resource of an organization has its key.
      const resourceKeys = documents.size === 0 ? [key] : [...documents.values()]
      const rows = users.flatMap((userId) =>
        resourceKeys.map((resourceKey) => ({ organizationKey: key, resourceKey, userId })),
      )
      if (cleared.length > 0)
        await session.runSet(
          CLEAR_PREFERENCES,
          rows.map((row) => ({ ...row, cleared: JSON.stringify(cleared) })),
        )
      if (setsLevels)
        await session.runSet(
          SET_PREFERENCES,
          rows.map((row) => ({ ...row, channels })),
        )
    })
    const [documentId] = documentIds
    const message = 'Notification preferences set successfully.'
    const item = (userId: string) => ({
      success: true,
      userId,
      ...(documentId !== undefined && { documentId }),
      message,
    })
    return Object.fromEntries(users.map((userId) => [userId, item(userId)]))
  },

  get: (caller: AnyCaller, data: GetData): Promise<ResultOf<typeof getNotificationPreferences>> =>
    isUser(caller)
      ? db.transaction((session) => read(session, caller, data), { snapshot: true })
      : read(db, caller, data),
})

type SetData = DataOf<typeof setNotificationPreferences>
type GetData = DataOf<typeof getNotificationPreferences>

async function read(
  session: Session,
  caller: AnyCaller,
  data: GetData,
): Promise<ResultOf<typeof getNotificationPreferences>> {
  const { organizationId, documentIds, getOrganizationConfig = false } = data
  const userId = requestedUser(caller, data.userId, 'userId')
  const key = organizationKey(caller, organizationId)
  await requireOrganization(session, key)
  const named = await keysOf(session, caller, organizationId, documentIds ?? [])
  const onlyNamed = getOrganizationConfig || documentIds !== undefined
  const found = await session.run(GET_PREFERENCES, [key, userId, onlyNamed ? [...named.values()] : null])
  const rows = isUser(caller) ? await openOf(session, caller, organizationId, found) : found
  const { channels: ofOrganization, isMailOff } = rows.find(({ resourceKey }) => resourceKey === key) ?? {}
  const off = isMailOff === true ? { email: 'NONE' } : {}
  const entry = (documentId: string | null, channels: Record<string, string>) => ({
    config: { ...DEFAULT_CHANNELS, ...ofOrganization, ...channels, ...off } as Channels,
    metadata: { organizationId, apiKey: caller.apiKeyId, userId, ...(documentId !== null && { documentId }) },
  })
  const stored = new Map(rows.map(({ resourceKey, channels }) => [resourceKey, channels]))
  const documents = onlyNamed
    ? [...named].map(([id, resourceKey]) => entry(id, stored.get(resourceKey) ?? {}))
    : rows.flatMap(({ documentId, channels }) =>
        documentId === null || Object.keys(channels).length === 0 ? [] : [entry(documentId, channels)],
      )
  return documentIds === undefined || getOrganizationConfig ? [entry(null, {}), ...documents] : documents
}

/** Returns the preferences of the organization, and of the documents that are open to the user. */
async function openOf(
  session: Session,
  caller: UserCaller,
  organizationId: string,
  rows: readonly PreferenceRow[],
): Promise<PreferenceRow[]> {
  const ids = rows.flatMap(({ documentId }) => documentId ?? [])
  const open = await openDocuments(session, caller, organizationId, ids)
  return rows.filter(({ documentId }) => documentId === null || open.has(documentId))
}

/** Returns the keys of documents by their ids. Refuses with NOT_FOUND unless all exist, and are open to the user of the call. */
async function keysOf(session: Session, caller: AnyCaller, organizationId: string, ids: readonly string[]) {
  const key = organizationKey(caller, organizationId)
  const keys = new Map<string, string>()
  if (isUser(caller)) {
    const open = await openDocuments(session, caller, organizationId, [...new Set(ids)])
    if (ids.some((id) => !open.has(id))) throw documentDoesNotExist()
  }
  for (const id of new Set(ids)) keys.set(id, await requireResource(session, key, { type: 'document', id }))
  return keys
}

/** Refuses channels with another value than a level, and too many of them. */
export function requireLevels(config: Record<string, unknown>, path: string): void {
  const names = Object.keys(config)
  const faults = names.flatMap((name) => {
    const field = `${path}.${name}`
    const { enum: levels } = name === 'inbox' ? InboxLevel : NotificationLevel
    const isLevel = (levels as readonly unknown[]).includes(config[name])
    const said = levels.map((level) => `"${level}"`).join(', ')
    return isLevel ? [] : [{ field, message: `${field} must be one of ${said}` }]
  })
  if (names.length === 0) faults.push({ field: path, message: `${path} must have at least one channel` })
  if (faults.length > 0) throw invalidArgument(faults.slice(0, LIMITS.faultsMax))
}

interface DocumentOfUser {
  organizationKey: OrganizationKey
  resourceKey: string
  userId: string
}

/**
 * Mutes a document for a user, in the inbox and everywhere else: sets to `NONE` the known channels, and those for which the user has
 * a level (rules/comments.md#following).
 */
export async function muteDocument(session: Session, document: DocumentOfUser): Promise<void> {
  const { organizationKey, resourceKey, userId } = document
  const channels = [...Object.keys(DEFAULT_CHANNELS), 'slack']
  await session.run(MUTE_DOCUMENT, [organizationKey, resourceKey, userId, channels])
}

/** Sets the inbox of the document to `ALL`; on the other channels the levels of the organization hold. */
export async function followDocument(session: Session, document: DocumentOfUser): Promise<void> {
  const { organizationKey, resourceKey, userId } = document
  await session.run(FOLLOW_DOCUMENT, [organizationKey, resourceKey, userId, JSON.stringify({ inbox: 'ALL' })])
}
