/** Routes of the webhook operations. */

import { filterTypeWarnings } from '#contract/events/event-types.ts'
import { getAdvancedWebhookConfig, updateAdvancedWebhookConfig } from '#contract/webhooks/config.ts'
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  getWebhookEndpoints,
  updateWebhookEndpoint,
} from '#contract/webhooks/endpoints.ts'
import {
  listWebhookAttempts,
  replayWebhookMessages,
  resendWebhookMessage,
  testWebhook,
} from '#contract/webhooks/messages.ts'
import { getWebhookSecret, rotateWebhookSecret } from '#contract/webhooks/secrets.ts'
import type { Routes } from '#http/route.ts'
import type { createWebhookEndpoints } from './endpoints/endpoints.ts'
import type { createWebhookSettings } from './endpoints/settings.ts'
import type { createWebhookMessages } from './messages/messages.ts'

interface Webhooks {
  settings: ReturnType<typeof createWebhookSettings>
  endpoints: ReturnType<typeof createWebhookEndpoints>
  messages: ReturnType<typeof createWebhookMessages>
}

export function webhookRoutes(routes: Routes, { settings, endpoints, messages }: Webhooks): void {
  routes.withApiKey(getAdvancedWebhookConfig, async (caller) => ({ data: await settings.get(caller) }))
  routes.withApiKey(updateAdvancedWebhookConfig, async (caller, data) => ({
    data: await settings.update(caller, data),
  }))
  routes.withApiKey(createWebhookEndpoint, async (caller, data) => ({
    data: await endpoints.create(caller, data),
    ...filterTypeWarnings(data.filterTypes),
  }))
  routes.withApiKey(getWebhookEndpoints, async (caller, data) => ({ data: await endpoints.get(caller, data) }))
  routes.withApiKey(updateWebhookEndpoint, async (caller, data) => ({
    data: await endpoints.update(caller, data),
    ...filterTypeWarnings(data.filterTypes),
  }))
  routes.withApiKey(deleteWebhookEndpoint, async (caller, data) => ({ data: await endpoints.delete(caller, data) }))
  routes.withApiKey(getWebhookSecret, async (caller, data) => ({ data: await endpoints.getSecret(caller, data) }))
  routes.withApiKey(rotateWebhookSecret, async (caller, data) => ({ data: await endpoints.rotateSecret(caller, data) }))
  routes.withApiKey(listWebhookAttempts, (caller, data) => messages.list(caller, data))
  routes.withApiKey(resendWebhookMessage, async (caller, data) => {
    await messages.resend(caller, data)
    return {}
  })
  routes.withApiKey(replayWebhookMessages, async (caller, data) => ({ data: await messages.replay(caller, data) }))
  routes.withApiKey(testWebhook, async (caller, data) => ({ data: await messages.test(caller, data) }))
}
