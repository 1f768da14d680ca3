/** Exports of the operator feature for other features. */
export { createOperators } from './operations.ts'
export { createPasskeys } from './passkeys.ts'
export {
  addOperator,
  findOperator,
  findOperatorByEmail,
  type ProvisionedOperator,
  setRole,
} from './provisioning.ts'
