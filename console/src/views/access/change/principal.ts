/** Users and user groups as one kind of text, by which a state finds the grants of both. */

/** No id contains control characters. */
const GROUP = '\u0001'

type Holder = { userId: string; groupId?: never } | { groupId: string; userId?: never }

/** Returns the id of a user, or the id of a user group behind a control character. */
export const principalOf = ({ userId = '', groupId }: { userId?: string; groupId?: string }): string =>
  groupId === undefined ? userId : `${GROUP}${groupId}`

/** Returns the user or the user group as calls name them. */
export const holderOf = (principal: string): Holder =>
  principal.startsWith(GROUP) ? { groupId: principal.slice(GROUP.length) } : { userId: principal }
