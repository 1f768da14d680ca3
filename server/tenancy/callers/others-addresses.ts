/** Leaves the e-mail addresses of other people out of what a call with a user token reads (rules/comments.md#user-tokens). */
import { type AnyCaller, isUser } from './own-user.ts'

/** Returns the value; for a user, without the `email` of everybody else in it. */
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
