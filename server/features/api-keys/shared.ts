/** What other features use of API keys. */
export { createApiKeys } from './operations.ts'
