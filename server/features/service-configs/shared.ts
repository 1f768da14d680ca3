/** Exports of the settings of services for other features. */
export { createServiceConfigs } from './operations.ts'
export { type MissingForMail, missingForMail, sendingWarnings } from './sending.ts'
