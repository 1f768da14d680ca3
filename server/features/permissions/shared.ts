/** What other features use of permissions. */
export { createDecisions } from './decisions.ts'
export { grantAtSignIn, type SignInGrant } from './operations.ts'
