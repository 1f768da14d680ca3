/** The common parts of operations that take user tokens (rules/access.md#what-a-user-token-may-do). */
import Type from 'typebox'
import { UserId } from '../core/ids.ts'
import { UserRef } from './user-refs.ts'

const OWN = 'The user. Required with an auth token; with a user token, its own user or nothing.'

/** The id of the user whom a call is about. */
export const OwnUserId = (description: string) => Type.Optional({ ...UserId, description: `${description} ${OWN}` })

/** The user who wrote something. */
export const OwnUser = (description: string) => Type.Optional({ ...UserRef, description: `${description} ${OWN}` })

/** The reasons for which a call with a user token is refused, beside those of every operation that takes one. */
export const OF_USER_TOKENS = ['other_user', 'user_disabled'] as const
export const OF_USER_WRITES = [...OF_USER_TOKENS, 'access_role_missing'] as const
