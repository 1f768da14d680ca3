/** Exports of the user feature for other features. */
export { setUsersDisabled } from './disabling.ts'
export { recordUserEvents } from './operations.ts'
export { NEXT_TOKENS_SINCE } from './profile-statements.ts'
export { storeProfile, storeProfiles } from './profiles.ts'
