/** The names of records in rows, links and titles. */

/** Anything but spaces, invisible characters, and letters that are drawn as blanks. */
const VISIBLE = /[^\s\p{Cf}\p{Cc}\u115F\u1160\u2800\u3164\uFFA0]/u

/** Returns the name of a record, or its id if there is no name to read and to click. */
export const shownName = (name: string | undefined, id: string): string =>
  name !== undefined && VISIBLE.test(name) ? name : id
