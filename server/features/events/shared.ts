/** What other features use of events. */
export { FIND_TICKS } from './statements.ts'
