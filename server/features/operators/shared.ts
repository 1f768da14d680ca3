/** Exports of the operator feature for other features. */
export { COMPANY_SESSION_HOURS, limitCompanySessions } from './company-sessions.ts'
export { createOperators } from './operations.ts'
export { createPasskeys } from './passkeys.ts'
export {
  addOperator,
  findOperator,
  findOperatorByEmail,
  type ProvisionedOperator,
  setRole,
} from './provisioning.ts'
