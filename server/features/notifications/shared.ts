/** Exports of notifications for other features. */
export type { WideThread } from './comment-statements.ts'
export { notifyOfComments } from './comments.ts'
export { type InboxPosition, newInInboxes } from './live.ts'
export { requireLawfulContext } from './operations.ts'
export { SET_MAIL_OFF } from './preference-statements.ts'
export { followDocument, muteDocument, requireLevels } from './preferences.ts'
export { replaceNotified } from './replace.ts'
