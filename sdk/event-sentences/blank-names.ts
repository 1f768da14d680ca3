/** Names that show nothing. Records with such names are named by their ids. */

/** Anything but spaces, invisible characters, and letters that are drawn as blanks. */
const VISIBLE = /[^\s\p{Cf}\p{Cc}\u115F\u1160\u2800\u3164\uFFA0]/u

/** Returns whether a name can be read. */
export const isVisible = (name: string | undefined): name is string => name !== undefined && VISIBLE.test(name)
