/** What other features use of webhooks: the URLs that are settings of an API key. */
export { createBasicWebhooks } from './basic.ts'
