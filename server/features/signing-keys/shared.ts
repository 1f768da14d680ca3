/** Exports of the signing key feature for other features. */
export { createSigningKeys } from './operations.ts'
