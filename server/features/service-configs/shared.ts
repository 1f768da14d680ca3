/** Exports of the settings of services for other features. */
export { createServiceConfigs } from './operations.ts'
export { sendingWarnings, whyNoMail } from './sending.ts'
