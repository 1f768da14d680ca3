/** Queries and mutations of the webhooks of an API key: endpoints, attempts, resending. */
import { mutationOptions, queryOptions } from '@tanstack/react-query'
import type {
  CreateWebhookEndpointData,
  Event,
  EventType,
  ListedWebhookEndpoint,
  ListWebhookAttemptsData,
  ReplayWebhookMessagesData,
  ResendWebhookMessageData,
  RotateWebhookSecretData,
  UpdateAdvancedWebhookConfigData,
  UpdateWebhookConfigData,
  UpdateWebhookEndpointData,
  WebhookAttempt,
} from '#sdk/generated/operations.ts'
import type { Key } from '../../session/session.ts'
import { deleteOne } from '../pages/deletion.ts'
import { all, pageQuery, pagesQuery } from '../pages/pages.ts'
import { queryKeyOf } from './keys.ts'

const WEBHOOKS = 'webhooks'

export const webhookConfigQuery = (key: Key) =>
  queryOptions({
    queryKey: queryKeyOf(key, WEBHOOKS, 'config'),
    queryFn: ({ signal }) => key.client.webhookConfig.get({}, { signal }),
  })

export const advancedWebhookConfigQuery = (key: Key) =>
  queryOptions({
    queryKey: queryKeyOf(key, WEBHOOKS, 'advanced-config'),
    queryFn: ({ signal }) => key.client.advancedWebhookConfig.get({}, { signal }),
  })

/** How often health is read again while it is visible. */
const HEALTH_POLL_MS = 5_000

/**
 * All endpoints with their health: a key has at most 500. Null when signed endpoints are turned off, in which case the
 * server would refuse to list them.
 */
export const webhookEndpointsQuery = (key: Key) =>
  queryOptions({
    queryKey: queryKeyOf(key, WEBHOOKS, 'endpoints'),
    queryFn: async ({ signal }): Promise<ListedWebhookEndpoint[] | null> => {
      const { isEnabled } = await key.client.advancedWebhookConfig.get({}, { signal })
      if (!isEnabled) return null
      return (await all(key.client.webhookEndpoints.get.pages({}, { signal }))).flatMap(({ endpoints }) => endpoints)
    },
    refetchInterval: HEALTH_POLL_MS,
  })

/** The health of a signed endpoint or a basic URL. */
export const webhookHealthQuery = (key: Key, endpointId: string) =>
  queryOptions({
    queryKey: queryKeyOf(key, WEBHOOKS, 'health', endpointId),
    queryFn: async ({ signal }) =>
      (await key.client.webhookAttempts.list({ endpointId, pageSize: 1 }, { signal })).health,
    refetchInterval: HEALTH_POLL_MS,
  })

export const webhookAttemptsQuery = (key: Key, data: Omit<ListWebhookAttemptsData, 'pageToken'>) =>
  pagesQuery({
    queryKey: queryKeyOf(key, WEBHOOKS, 'attempts', data),
    method: key.client.webhookAttempts.list,
    data,
    rowsOf: ({ attempts }) => attempts,
  })

/** The first page of the log: what a picture of the endpoint shows, and the list begins with. */
export const latestAttempts = (endpointId: string) => ({ endpointId, pageSize: 100 })

export const latestAttemptsQuery = (key: Key, endpointId: string) =>
  pageQuery({ ...webhookAttemptsQuery(key, latestAttempts(endpointId)), refetchInterval: HEALTH_POLL_MS })

const PAGES_LOOKED_AT = 5

/** The event of a message. Null when it is gone, or too many events of its type have followed. */
export const messageEventQuery = (key: Key, { messageId, eventType, attemptedAt }: WebhookAttempt) =>
  queryOptions({
    queryKey: queryKeyOf(key, WEBHOOKS, 'message', messageId),
    queryFn: async ({ signal }): Promise<Event | null> => {
      const filter = { types: [eventType as EventType], to: attemptedAt + 1 }
      let left = PAGES_LOOKED_AT
      for await (const { data } of key.client.events.list.pages(filter, { signal })) {
        const found = data.events.find(({ id }) => `msg_${id}` === messageId)
        if (found !== undefined) return found
        if (--left === 0) break
      }
      return null
    },
    staleTime: Number.POSITIVE_INFINITY,
  })

const meta = (key: Key) => ({ invalidates: [queryKeyOf(key, WEBHOOKS)] })

export const updateWebhookConfig = (key: Key) =>
  mutationOptions({
    mutationFn: (data: UpdateWebhookConfigData) => key.client.webhookConfig.update(data),
    meta: meta(key),
  })

export const updateAdvancedWebhookConfig = (key: Key) =>
  mutationOptions({
    mutationFn: (data: UpdateAdvancedWebhookConfigData) => key.client.advancedWebhookConfig.update(data),
    meta: meta(key),
  })

export const createWebhookEndpoint = (key: Key) =>
  mutationOptions({
    mutationFn: (data: CreateWebhookEndpointData) => key.client.webhookEndpoints.create(data),
    meta: meta(key),
  })

export const updateWebhookEndpoint = (key: Key) =>
  mutationOptions({
    mutationFn: (data: UpdateWebhookEndpointData) => key.client.webhookEndpoints.update(data),
    meta: meta(key),
  })

export const deleteWebhookEndpoint = (key: Key) =>
  mutationOptions({
    mutationFn: (endpointId: string) => deleteOne(() => key.client.webhookEndpoints.delete({ endpointId })),
    meta: meta(key),
  })

/** A mutation, so that the secret is not cached: it is dropped when its section closes. */
export const getWebhookSecret = (key: Key) =>
  mutationOptions({
    mutationFn: async (endpointId: string) => (await key.client.webhookSecrets.get({ endpointId })).secret,
    gcTime: 0,
  })

export const rotateWebhookSecret = (key: Key) =>
  mutationOptions({
    mutationFn: async (data: RotateWebhookSecretData) => (await key.client.webhookSecrets.rotate(data)).secret,
    gcTime: 0,
  })

export const testWebhook = (key: Key) =>
  mutationOptions({ mutationFn: (endpointId: string) => key.client.webhookMessages.test({ endpointId }) })

export const resendWebhookMessage = (key: Key) =>
  mutationOptions({ mutationFn: (data: ResendWebhookMessageData) => key.client.webhookMessages.resend(data) })

export const replayWebhookMessages = (key: Key) =>
  mutationOptions({ mutationFn: (data: ReplayWebhookMessagesData) => key.client.webhookMessages.replay(data) })
