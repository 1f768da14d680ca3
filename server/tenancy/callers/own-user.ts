/** The user whom a call is about: with a user token, only its own user (rules/access.md#what-a-user-token-may-do). */
import { invalidArgument, StatusError } from '#platform/status-error.ts'
import type { Caller, UserCaller } from './caller.ts'

/** The users of calls: an auth token speaks for every user of its API key. */
export type AnyCaller = Caller | UserCaller

/** Returns whether a call has a user token. */
export const isUser = (caller: AnyCaller): caller is UserCaller => 'userId' in caller

/** Returns whom a page token belongs to: the API key, or one of its users (rules/contract.md#pages). */
export const ownerOfPages = (caller: AnyCaller): readonly (string | null)[] => [
  caller.apiKeyId,
  isUser(caller) ? caller.userId : null,
]

/** Refuses a user other than the token's own. */
export function requireOwnUser(caller: AnyCaller, userId: string | undefined): void {
  if (isUser(caller) && userId !== undefined && userId !== caller.userId)
    throw new StatusError('PERMISSION_DENIED', 'other_user', 'A user token can speak only for its own user.')
}

/** Returns the user whom a call names in `field`. A call with a user token may omit it, or name the token's own user. */
export function requestedUser(caller: AnyCaller, userId: string | undefined, field: string): string {
  requireOwnUser(caller, userId)
  const requested = userId ?? (isUser(caller) ? caller.userId : undefined)
  if (requested === undefined) throw invalidArgument([{ field, message: `${field} is required` }])
  return requested
}

/** Returns the value; for a user, without the `email` of everybody else in it (rules/comments.md#user-tokens). */
export const withoutAddresses = <Value>(caller: AnyCaller, value: Value): Value =>
  isUser(caller) ? (without(value, caller.userId) as Value) : value

function without(value: unknown, ownId: string): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => without(item, ownId))
  const isOther = 'userId' in value && value.userId !== ownId
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]) =>
      isOther && name === 'email' ? [] : [[name, without(field, ownId)]],
    ),
  )
}
