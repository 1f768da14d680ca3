/** Exports of the user feature for other features. */
export { storeProfile } from './profiles.ts'
