/** Exports of the permissions feature for other features. */
export { createDecisions } from './checks/decisions.ts'
export {
  decideDocuments,
  decideResources,
  isOpenFolder,
  openDocuments,
  requireOpenDocument,
} from './checks/resource-access.ts'
export { decisionOf } from './decision/forms.ts'
export type { DecisionRow } from './decision/rows.ts'
export { decided } from './decision/statement.ts'
export { removeGrants, replaceGrants, type SharedDocument } from './grants/for-sharing.ts'
export { grantAtSignIn, type SignInGrant, setRoles } from './grants/for-users.ts'
export { declareMissing } from './grants/naming.ts'
export { fieldsIn, principalOf } from './grants/principals.ts'
export { narrowedRole } from './grants/stronger-role.ts'
export { decidedUsersOfDocument, type UsersOfDocument, usersOfDocument } from './lists/users-of-document.ts'
export { revokeProvided } from './provided/writes.ts'
