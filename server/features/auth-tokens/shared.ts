/** What other features use of auth tokens. */
export { createAuthTokens } from './operations.ts'
