/** Addresses of views that are about one folder or document: their ids are part of the query. */
export const ACCESS = '/keys/$apiKey/access'
export const WHY = '/keys/$apiKey/why'
/** Users and what is in one folder. */
export const MATRIX = '/keys/$apiKey/matrix'
