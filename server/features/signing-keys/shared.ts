/** What other features use of signing keys. */
export { createSigningKeys } from './operations.ts'
