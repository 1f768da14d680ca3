/** Exports of the user token feature for other features. */
export { type UserTokenCheck, userTokenCheck } from './check.ts'
export { revokeTokensOf } from './operations.ts'
