/** The levels of notifications of a user by channel: in an organization, and in documents with levels of their own. */
import { mutationOptions, queryOptions } from '@tanstack/react-query'
import type { NotificationLevel } from '#sdk/generated/operations.ts'
import type { Key } from '../../session/session.ts'
import { queryKeyOf } from '../keys/keys.ts'

const PREFERENCES = 'preferences'

export const preferencesQuery = (key: Key, organizationId: string, userId: string) =>
  queryOptions({
    queryKey: queryKeyOf(key, PREFERENCES, organizationId, userId),
    queryFn: async ({ signal }) => {
      const read = (more: object) =>
        key.client.notificationPreferences.get({ organizationId, userId, ...more }, { signal })
      const [[ofOrganization], ofDocuments] = await Promise.all([read({ getOrganizationConfig: true }), read({})])
      return {
        channels: (ofOrganization?.config ?? {}) as Record<string, string>,
        documents: ofDocuments.flatMap(({ config, metadata: { documentId } }) =>
          documentId === undefined ? [] : [{ documentId, channels: config as Record<string, string> }],
        ),
      }
    },
  })

/** With `documentId` for that document, otherwise for the organization. */
export const setPreference = (key: Key, organizationId: string, userId: string, documentId?: string) =>
  mutationOptions({
    mutationFn: (config: Record<string, NotificationLevel>) =>
      key.client.notificationPreferences.set({
        ...{ organizationId, userIds: [userId], config },
        ...(documentId !== undefined && { documentIds: [documentId] }),
      }),
    meta: { invalidates: [queryKeyOf(key, PREFERENCES, organizationId, userId)] },
  })
