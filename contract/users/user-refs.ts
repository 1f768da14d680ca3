/**
 * The users whom calls on threads, notifications and activities name inline: they need no profile and no grant, and are
 * stored as given (rules/contract.md#inline-users).
 */
import Type from 'typebox'
import { HttpUrl, UserId } from '../core/ids.ts'
import { LIMITS } from '../core/limits.ts'
import { ProfileEmail } from './user-records.ts'

const details = {
  name: Type.Optional(Type.String({ maxLength: LIMITS.nameCharactersMax })),
  email: Type.Optional(ProfileEmail),
  photoUrl: Type.Optional({ ...HttpUrl("The URL of the user's picture. Empty: absent."), emptyIsAbsent: true }),
}

/** Open: other fields are stored and returned. They are not metadata of a profile and give no access. */
export const UserRef = Type.Object(
  { userId: UserId, ...details },
  {
    description: 'A user, who need not have a profile or access. Other fields are stored and returned.',
    additionalProperties: true,
    freeform: true,
  },
)
export type UserRef = Type.Static<typeof UserRef>

/** A user whom a call has named inline, with the fields of the stored profile over the given ones. */
export const User = Type.Object(
  { userId: Type.String(), ...details },
  {
    description: 'The user as the call named them. If the user has a profile, its fields replace those of the call.',
    additionalProperties: true,
  },
)
export type User = Type.Static<typeof User>
