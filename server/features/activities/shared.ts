/** Exports of activities for other features. */
export { recordComments } from './comments.ts'
