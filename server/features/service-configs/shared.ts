/** Exports of the settings of services for other features: whether an API key can send mail. */
export { sendingWarnings } from './sending.ts'
