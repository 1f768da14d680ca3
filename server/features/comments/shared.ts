/** Exports of threads and comments for other features. */
export { eraseFromThreads } from './people/erase.ts'
export { listRecipients } from './recipients/recipients.ts'
export { commentRecord, type Show, showing, shownInComment } from './records.ts'
export type { StoredComment } from './threads/read-statements.ts'
