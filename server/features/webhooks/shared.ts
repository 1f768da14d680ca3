/** Exports of the webhook feature for other features: the basic URLs of an API key, and the health of its webhooks. */
export { createBasicWebhooks } from './basic.ts'
export { summarizeWebhooks, type WebhookSummary } from './health.ts'
