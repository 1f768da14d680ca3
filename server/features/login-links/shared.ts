/** Exports of the login link feature for other features. */
export { createLoginLinks } from './operations.ts'
