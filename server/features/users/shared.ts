/** What other features use of users. */
export { storeProfile } from './profiles.ts'
