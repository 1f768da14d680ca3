/** Exports of the findings for other features. */
export { setWeekly } from './weekly/subscription.ts'
