/** Exports of the permissions feature for other features. */
export { createDecisions } from './checks/decisions.ts'
export { declareMissing } from './grants/granting.ts'
export { grantAtSignIn, type SignInGrant } from './grants/operations.ts'
export { revokeProvided } from './provided/writes.ts'
