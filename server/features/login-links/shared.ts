/** Exports of the login link feature for other features. */
export { type AddInvitation, createLoginLinks } from './operations.ts'
