/** Exports of the auth token feature for other features. */
export { createAuthTokens } from './operations.ts'
