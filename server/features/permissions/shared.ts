/** Exports of the permissions feature for other features. */
export { createDecisions } from './decisions.ts'
export { grantAtSignIn, type SignInGrant } from './operations.ts'
