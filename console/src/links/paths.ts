/** Routes of views about one resource, whose ids are query parameters. */
export const ACCESS = '/keys/$apiKey/access'
/** Who has access to something inside a folder or organization. */
export const INSIDE = '/keys/$apiKey/inside'
export const WHY = '/keys/$apiKey/why'
/** Who could do what at two moments. */
export const CHANGES = '/keys/$apiKey/changes'
/** Users and the documents of one folder. */
export const MATRIX = '/keys/$apiKey/matrix'
/** Every grant of an organization, each to keep or to remove. */
export const ACCESS_REVIEW = '/keys/$apiKey/access-review'
