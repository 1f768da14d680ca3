/** Exports of the permissions feature for other features. */
export { createDecisions } from './decisions.ts'
export { declareMissing } from './grant-ctes.ts'
export { grantAtSignIn, type SignInGrant } from './operations.ts'
export { revokeProvided } from './provided-writes.ts'
