/** Exports of the documents feature for other features. */
export { addMissingDocument } from './missing.ts'
