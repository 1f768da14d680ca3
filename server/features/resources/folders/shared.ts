/** Exports of the folders feature for other features. */
export { placeFolder } from './place.ts'
