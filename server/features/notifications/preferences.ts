/** Sets and reads the levels of users for each channel (rules/comments.md#preferences). */
import { LIMITS } from '#contract/core/limits.ts'
import type { DataOf, ResultOf } from '#contract/core/operation.ts'
import {
  DEFAULT_CHANNELS,
  type getNotificationPreferences,
  NotificationLevel,
  type setNotificationPreferences,
} from '#contract/notifications/preferences.ts'
import type { Db, Session } from '#platform/db/db.ts'
import { invalidArgument } from '#platform/status-error.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import { requireOrganization, requireResource } from '#tenancy/existence.ts'
import { changeOrganization } from '#tenancy/writes/organization.ts'
import { GET_PREFERENCES, SET_PREFERENCES } from './preference-statements.ts'

type Channels = ResultOf<typeof getNotificationPreferences>[number]['config']

export const createNotificationPreferences = ({ db }: { db: Db }) => ({
  async set(
    caller: Caller,
    { organizationId, userIds, config, documentIds = [] }: DataOf<typeof setNotificationPreferences>,
  ): Promise<ResultOf<typeof setNotificationPreferences>> {
    requireLevels(config)
    const key = organizationKey(caller, organizationId)
    const users = [...new Set(userIds)]
    await changeOrganization(db, caller, key, async (session) => {
      const documents = await keysOf(session, key, documentIds)
      // The resource of an organization has its key.
      const resourceKeys = documents.size === 0 ? [key] : [...documents.values()]
      const rows = users.flatMap((userId) =>
        resourceKeys.map((resourceKey) => ({ organizationKey: key, resourceKey, userId, channels: config })),
      )
      await session.runSet(SET_PREFERENCES, rows)
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

  async get(
    caller: Caller,
    { organizationId, userId, documentIds, getOrganizationConfig = false }: DataOf<typeof getNotificationPreferences>,
  ): Promise<ResultOf<typeof getNotificationPreferences>> {
    const key = organizationKey(caller, organizationId)
    await requireOrganization(db, key)
    const named = await keysOf(db, key, documentIds ?? [])
    const onlyNamed = getOrganizationConfig || documentIds !== undefined
    const rows = await db.run(GET_PREFERENCES, [key, userId, onlyNamed ? [...named.values()] : null])
    const ofOrganization = rows.find(({ resourceKey }) => resourceKey === key)?.channels ?? {}
    const entry = (documentId: string | null, channels: Record<string, string>) => ({
      config: { ...DEFAULT_CHANNELS, ...ofOrganization, ...channels } as Channels,
      metadata: { organizationId, apiKey: caller.apiKeyId, userId, ...(documentId !== null && { documentId }) },
    })
    const stored = new Map(rows.map(({ resourceKey, channels }) => [resourceKey, channels]))
    const documents = onlyNamed
      ? [...named].map(([id, resourceKey]) => entry(id, stored.get(resourceKey) ?? {}))
      : rows.flatMap(({ documentId, channels }) => (documentId === null ? [] : [entry(documentId, channels)]))
    return documentIds === undefined || getOrganizationConfig ? [entry(null, {}), ...documents] : documents
  },
})
export type NotificationPreferencesOperations = ReturnType<typeof createNotificationPreferences>

/** Returns the keys of documents by their ids. Refuses with NOT_FOUND unless all exist. */
async function keysOf(session: Session, key: Parameters<typeof requireResource>[1], ids: readonly string[]) {
  const keys = new Map<string, string>()
  for (const id of new Set(ids)) keys.set(id, await requireResource(session, key, { type: 'document', id }))
  return keys
}

/** Refuses channels with another value than a level, and too many of them. */
function requireLevels(config: Record<string, unknown>): void {
  const names = Object.keys(config)
  const faults = names.flatMap((name) => {
    const field = `config.${name}`
    const isLevel = NotificationLevel.enum.includes(config[name] as 'ALL')
    return isLevel ? [] : [{ field, message: `${field} must be one of "ALL", "MINE", "NONE"` }]
  })
  if (names.length === 0) faults.push({ field: 'config', message: 'config must have at least one channel' })
  if (faults.length > 0) throw invalidArgument(faults.slice(0, LIMITS.faultsMax))
}
