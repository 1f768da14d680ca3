/** Exports of the workspace feature for other features. */
export { ownerIdOf } from './owner-id.ts'
