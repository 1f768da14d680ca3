/** Exports of the event feature for other features. */
export { FIND_TICKS } from './range-statements.ts'
