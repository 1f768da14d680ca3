/** Exports of the webhook feature for other features: the basic URLs of an API key, and the health of its webhooks. */
export { createBasicWebhooks } from './endpoints/basic.ts'
export { listTroubledWebhooks, summarizeWebhooks, type WebhookSummary } from './endpoints/health.ts'
