/** Webhooks of API keys: their settings and endpoints, and the delivery of events to them as messages (ADR 0019). */
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
import { createReadActs } from '#features/comments/shared.ts'
import type { CreateFeature } from '#kernel'
import { createOutbound } from '#platform/outbound/outbound.ts'
import { startDeliveries } from './delivery/deliver.ts'
import { COUNT_DUE } from './delivery/delivery-statements.ts'
import { startEnqueueing } from './delivery/enqueueing.ts'
import { startAttemptRetention } from './delivery/outcomes.ts'
import { createWebhookEndpoints } from './endpoints/endpoints.ts'
import { createWebhookSettings } from './endpoints/settings.ts'
import { createWebhookMessages } from './messages/messages.ts'

export const webhooks: CreateFeature = (kernel) => {
  const { config, db, metrics, version } = kernel
  const allowPrivate = config.WEBHOOK_ALLOW_PRIVATE
  const outbound = createOutbound({ allowPrivate })
  const deliveries = startDeliveries({
    ...kernel,
    outbound,
    readActs: kernel.use(createReadActs),
    userAgent: `Commonhold/${version}`,
    requestsPerHost: config.WEBHOOK_RATE_PER_HOST,
    observe: metrics.webhookAttempted,
  })
  const stopEnqueueing = startEnqueueing(kernel, deliveries.wake)
  const stopRetention = startAttemptRetention({ ...kernel, attemptsKeptDays: config.WEBHOOK_ATTEMPTS_KEPT_DAYS })
  return {
    routes(routes) {
      const settings = createWebhookSettings(kernel)
      const endpoints = createWebhookEndpoints({ ...kernel, allowPrivate })
      const messages = createWebhookMessages({ ...kernel, wake: deliveries.wake })
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
      routes.withApiKey(rotateWebhookSecret, async (caller, data) => ({
        data: await endpoints.rotateSecret(caller, data),
      }))
      routes.withApiKey(listWebhookAttempts, (caller, data) => messages.list(caller, data))
      routes.withApiKey(resendWebhookMessage, async (caller, data) => {
        await messages.resend(caller, data)
        return {}
      })
      routes.withApiKey(replayWebhookMessages, async (caller, data) => ({ data: await messages.replay(caller, data) }))
      routes.withApiKey(testWebhook, async (caller, data) => ({ data: await messages.test(caller, data) }))
    },
    backlogs: {
      webhooks: async () =>
        (await db.run(COUNT_DUE)).map(({ endpoints, ...waiting }) => ({ labels: { endpoints }, ...waiting })),
    },
    async stop(): Promise<void> {
      await Promise.all([stopEnqueueing(), stopRetention()])
      await deliveries.stop()
      await outbound.close()
    },
  }
}
