/** Exports of the settings of services for other features. */
export { mergedDeeply } from './nested-settings.ts'
export { standardTriggers, triggersOff } from './notifications-and-activities.ts'
export { createServiceConfigs } from './operations.ts'
export { type MissingForMail, missingForMail, sendingWarnings } from './sending.ts'
