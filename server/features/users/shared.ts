/** Exports of the user feature for other features. */
export { setUsersDisabled } from './disabling.ts'
export { NEXT_TOKENS_SINCE } from './profile-statements.ts'
export { storeProfile } from './profiles.ts'
