/** Exports of the invitation feature for other features. */
export { INVITATION, type InvitationRow } from './list-statements.ts'
export { recordOf } from './lists.ts'
