/** Webhook endpoints of a key and the attempts to reach them. */
import { queryOptions } from '@tanstack/react-query'
import type { ListWebhookAttemptsData } from '#sdk/generated/operations.ts'
import type { Key } from '../session/session.ts'
import { ofKey } from './keys.ts'
import { pagesQuery } from './pages.ts'

export const webhookConfigQuery = (key: Key) =>
  queryOptions({
    queryKey: ofKey(key, 'webhooks', 'config'),
    queryFn: ({ signal }) => key.client.webhookConfig.get({}, { signal }),
  })

export const advancedWebhookConfigQuery = (key: Key) =>
  queryOptions({
    queryKey: ofKey(key, 'webhooks', 'advanced-config'),
    queryFn: ({ signal }) => key.client.advancedWebhookConfig.get({}, { signal }),
  })

export const webhookEndpointsQuery = (key: Key) =>
  pagesQuery({
    queryKey: ofKey(key, 'webhooks', 'endpoints'),
    method: key.client.webhookEndpoints.get,
    data: {},
    rowsOf: ({ endpoints }) => endpoints,
    tokenField: 'iterator',
  })

export const webhookAttemptsQuery = (key: Key, data: Omit<ListWebhookAttemptsData, 'pageToken'>) =>
  pagesQuery({
    queryKey: ofKey(key, 'webhooks', 'attempts', data),
    method: key.client.webhookAttempts.list,
    data,
    rowsOf: ({ attempts }) => attempts,
  })
