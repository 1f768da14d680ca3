/** Webhooks: their endpoints, and the delivery of events to them. */
import type { CreateFeature } from '#kernel'
import { createOutbound } from '#platform/outbound.ts'
import { startWebhooks } from './operations.ts'
import { webhookRoutes } from './routes.ts'

export const webhooks: CreateFeature = (kernel) => {
  const { config, metrics, version } = kernel
  const allowPrivate = config.WEBHOOK_ALLOW_PRIVATE
  const operations = startWebhooks({
    ...kernel,
    outbound: createOutbound({ allowPrivate }),
    allowPrivate,
    userAgent: `Commonhold/${version}`,
    requestsPerHost: config.WEBHOOK_RATE_PER_HOST,
    observe: metrics.webhookAttempted,
    attemptsKeptDays: config.WEBHOOK_ATTEMPTS_KEPT_DAYS,
  })
  return {
    routes: (routes) => webhookRoutes(routes, operations),
    backlogs: { webhooks: operations.backlog },
    stop: operations.stop,
  }
}
