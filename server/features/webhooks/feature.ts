/** Webhooks of API keys: their settings and endpoints, and the delivery of events to them as messages (ADR 0019). */
import { createReadActs } from '#features/comments/shared.ts'
import type { CreateFeature } from '#kernel'
import { createOutbound } from '#platform/outbound/outbound.ts'
import { startDeliveries } from './delivery/deliver.ts'
import { COUNT_DUE } from './delivery/delivery-statements.ts'
import { startEnqueueing } from './delivery/enqueueing.ts'
import { startAttemptRetention } from './delivery/retention.ts'
import { createWebhookEndpoints } from './endpoints/endpoints.ts'
import { createWebhookSettings } from './endpoints/settings.ts'
import { createWebhookMessages } from './messages/messages.ts'
import { webhookRoutes } from './routes.ts'

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
  const operations = {
    settings: createWebhookSettings(kernel),
    endpoints: createWebhookEndpoints({ ...kernel, allowPrivate }),
    messages: createWebhookMessages({ ...kernel, wake: deliveries.wake }),
  }
  return {
    routes: (routes) => webhookRoutes(routes, operations),
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
