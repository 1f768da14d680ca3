/** Exports of notifications for other features. */
export { notifyOfComments, type ToldComment } from './comments.ts'
