/** Exports of the API key feature for other features. */
export { createApiKeys } from './operations.ts'
