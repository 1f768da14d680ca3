/** Queries and mutations of the settings of an API key. */
import { keepPreviousData, mutationOptions, queryOptions } from '@tanstack/react-query'
import type {
  GetEmailPreviewData,
  RespondToDomainRequestData,
  UpdateActivityConfigData,
  UpdateEmailConfigData,
  UpdateKeyConfigData,
  UpdateNotificationConfigData,
  UpdatePermissionProviderConfigData,
} from '#sdk/generated/operations.ts'
import { openingBy } from '#sdk/shared/opened.ts'
import { compare, type Difference, PARTS } from '#sdk/shared/promotion.ts'
import { type Key, mailStatusOf } from '../../session/session.ts'
import { queryKeyOf } from './keys.ts'

const SETTINGS = 'settings'

export const keyConfigQuery = (key: Key) =>
  queryOptions({
    queryKey: queryKeyOf(key, SETTINGS, 'config'),
    queryFn: ({ signal }) => key.client.keyConfig.get({}, { signal }),
  })

/** The access that other defaults would give to everyone, in a sentence; null: none. */
export const openingQuery = (key: Key, defaults: Parameters<typeof openingBy>[1]) =>
  queryOptions({
    queryKey: queryKeyOf(key, SETTINGS, 'opening', defaults),
    queryFn: async ({ signal }) => (await openingBy(key.client, defaults, { signal })) ?? null,
    // The sentence stays while another role is counted.
    placeholderData: keepPreviousData,
  })

/** Whether the key can send mail. A change of its settings invalidates it with them. */
export const mailStatusQuery = (key: Key) =>
  queryOptions({
    queryKey: queryKeyOf(key, SETTINGS, 'mail'),
    queryFn: () => mailStatusOf(key.id),
  })

export const emailConfigQuery = (key: Key) =>
  queryOptions({
    queryKey: queryKeyOf(key, SETTINGS, 'email'),
    queryFn: ({ signal }) => key.client.emailConfig.get({}, { signal }),
  })

export const notificationConfigQuery = (key: Key) =>
  queryOptions({
    queryKey: queryKeyOf(key, SETTINGS, 'notifications'),
    queryFn: ({ signal }) => key.client.notificationConfig.get({}, { signal }),
  })

export const activityConfigQuery = (key: Key) =>
  queryOptions({
    queryKey: queryKeyOf(key, SETTINGS, 'activities'),
    queryFn: ({ signal }) => key.client.activityConfig.get({}, { signal }),
  })

export const permissionProviderConfigQuery = (key: Key) =>
  queryOptions({
    queryKey: queryKeyOf(key, SETTINGS, 'permission-provider'),
    queryFn: ({ signal }) => key.client.permissionProviderConfig.get({}, { signal }),
  })

export const domainsQuery = (key: Key) =>
  queryOptions({
    queryKey: queryKeyOf(key, SETTINGS, 'domains'),
    queryFn: async ({ signal }) => (await key.client.domains.get({}, { signal })).allowedDomains,
  })

export const domainRequestsQuery = (key: Key) =>
  queryOptions({
    queryKey: queryKeyOf(key, SETTINGS, 'domain-requests'),
    queryFn: async ({ signal }) =>
      Object.values((await key.client.domainRequests.get({}, { signal })).requestedDomains),
  })

/** The differences of `target` from `source`, with the calls that would remove them. */
export const differencesQuery = (source: Key, target: Key, deletes: boolean) =>
  queryOptions({
    queryKey: queryKeyOf(target, SETTINGS, 'differences', source.id, deletes),
    queryFn: () => compare(source.client, target.client, PARTS, deletes),
    // Differences contain functions, which cannot be compared by value.
    structuralSharing: false,
    staleTime: 0,
  })

const meta = (key: Key) => ({ invalidates: [queryKeyOf(key, SETTINGS)] })

export const updateKeyConfig = (key: Key) =>
  mutationOptions({ mutationFn: (data: UpdateKeyConfigData) => key.client.keyConfig.update(data), meta: meta(key) })

export const updateEmailConfig = (key: Key) =>
  mutationOptions({ mutationFn: (data: UpdateEmailConfigData) => key.client.emailConfig.update(data), meta: meta(key) })

export const updateNotificationConfig = (key: Key) =>
  mutationOptions({
    mutationFn: (data: UpdateNotificationConfigData) => key.client.notificationConfig.update(data),
    meta: meta(key),
  })

export const updateActivityConfig = (key: Key) =>
  mutationOptions({
    mutationFn: (activityServiceConfig: UpdateActivityConfigData['activityServiceConfig']) =>
      key.client.activityConfig.update({ activityServiceConfig }),
    meta: meta(key),
  })

export const updatePermissionProviderConfig = (key: Key) =>
  mutationOptions({
    mutationFn: (data: UpdatePermissionProviderConfigData) => key.client.permissionProviderConfig.update(data),
    meta: meta(key),
  })

export const emailPreviewQuery = (key: Key, data: GetEmailPreviewData) =>
  queryOptions({
    queryKey: queryKeyOf(key, 'email-preview', data),
    queryFn: ({ signal }) => key.client.emailPreviews.get(data, { signal }),
  })

export const testEmailConfig = (key: Key) => mutationOptions({ mutationFn: () => key.client.emailConfig.test() })

export const addDomains = (key: Key) =>
  mutationOptions({ mutationFn: (domains: string[]) => key.client.domains.add({ domains }), meta: meta(key) })

export const deleteDomains = (key: Key) =>
  mutationOptions({ mutationFn: (domains: string[]) => key.client.domains.delete({ domains }), meta: meta(key) })

export const respondToDomainRequest = (key: Key) =>
  mutationOptions({
    mutationFn: (data: RespondToDomainRequestData) => key.client.domainRequests.respond(data),
    meta: meta(key),
  })

/** Applies the differences sequentially. When one fails, those before it stay applied; `onApplied` is called after each. */
export const promote = (target: Key, onApplied: (difference: Difference) => void) =>
  mutationOptions({
    mutationFn: async (differences: readonly Difference[]) => {
      for (const difference of differences) {
        await difference.make(target.client)
        onApplied(difference)
      }
    },
    meta: { invalidates: [queryKeyOf(target)] },
  })
