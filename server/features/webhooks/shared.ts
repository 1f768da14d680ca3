/** Exports of the webhook feature for other features: the basic URLs of an API key. */
export { createBasicWebhooks } from './basic.ts'
