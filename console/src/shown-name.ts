/** A record without a name is shown by its id, and so is one whose name nobody can see: a row must have something to read and to click. */

/** Anything but spaces, invisible characters, and letters that are drawn as blanks. */
const VISIBLE = /[^\s\p{Cf}\p{Cc}\u115F\u1160\u2800\u3164\uFFA0]/u

export const shownName = (name: string | undefined, id: string): string =>
  name !== undefined && VISIBLE.test(name) ? name : id
