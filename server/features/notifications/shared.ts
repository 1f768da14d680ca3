/** Exports of notifications for other features. */
export type { WideThread } from './comment-statements.ts'
export { notifyOfComments } from './comments.ts'
export { followDocument, muteDocument } from './documents.ts'
export { type InboxPosition, newInInboxes } from './live.ts'
export { requireLawfulContext } from './operations.ts'
export { SET_MAIL_OFF } from './preference-statements.ts'
export { requireLevels } from './preferences.ts'
