/**
 * Principals, the holders of grants (rules/access.md#grants). The column `principal` has a user's id, or a user group's id
 * behind the control character U+0001. Ids contain no control characters, so the two are always different, and groups sort
 * before users.
 */

import { foldedAddress } from '#contract/core/addresses.ts'

const MARK = '\u0001'

/**
 * The principal of a person who was invited and is not a user yet: the folded e-mail address behind the control character
 * U+0002. Invitations, their events and mails use it in place of a user id. It has no grants.
 */
const INVITED = '\u0002'

export const inviteeOf = (email: string): string => INVITED + foldedAddress(email)

export const isInvitee = (userId: string): boolean => userId.startsWith(INVITED)

export const principalOfGroup = (groupId: string): string => MARK + groupId

/** Returns the user or the group of a principal. */
export const principalIn = (principal: string): { userId: string } | { groupId: string } =>
  principal.startsWith(MARK) ? { groupId: principal.slice(1) } : { userId: principal }

/** The principal of the group in a column. */
export const groupPrincipal = (groupId: string): string => `chr(1) || ${groupId}`

/** Sorts after all groups and before all users, in the collation of the column. */
export const USERS = ' '

/** `USERS` as an SQL literal. */
export const BEFORE_USERS = `'${USERS}'`

const isGroup = (principal: string): string => `starts_with(${principal}, chr(1))`

/** The id of the user; null if the principal is a group. */
export const userIn = (principal: string): string => `case when not ${isGroup(principal)} then ${principal} end`

/** A grant as events say it: its role and expiry in Unix seconds, and the group that holds it. */
export const grantInEvents = (principal: string, role: string, expiresAt: string): string =>
  `case when ${isGroup(principal)}
                then jsonb_build_object('groupId', substr(${principal}, 2), 'accessRole', ${role}, 'expiresAt', ${expiresAt})
                else jsonb_build_object('accessRole', ${role}, 'expiresAt', ${expiresAt}) end`

/** The prefix of the pseudonym that replaces an erased user. */
export const ERASED = 'erased:'
