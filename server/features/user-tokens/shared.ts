/** Exports of the user token feature for other features. */
export { revokeTokensOf } from './revocation.ts'
