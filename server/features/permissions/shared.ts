/** Exports of the permissions feature for other features. */
export { createDecisions } from './checks/decisions.ts'
export { decideDocuments, openDocuments, requireOpenDocument } from './checks/document-access.ts'
export { decided } from './decision/statement.ts'
export { grantAtSignIn, type SignInGrant, setRoles } from './grants/for-users.ts'
export { declareMissing } from './grants/naming.ts'
export { narrowedRole } from './grants/stronger-role.ts'
export { usersOfDocument } from './lists/users-of-document.ts'
export { revokeProvided } from './provided/writes.ts'
