/** `users/profiles/*`: the user profiles of an API key, of users with and without grants. */
import Type from 'typebox'
import { ACCESS_ADVICE } from '../access/access-words.ts'
import { BatchResult } from '../core/envelope.ts'
import { ClosedObject } from '../core/fields.ts'
import { Items, OrderBy, PAGING, UserId } from '../core/ids.ts'
import { operation } from '../core/operation.ts'
import { nullableProfileProperties, OPEN_USER, profileProperties } from './user-records.ts'

export const ProfileRecord = Type.Object(
  { userId: Type.String(), ...profileProperties },
  { additionalProperties: true },
)
export type ProfileRecord = Type.Static<typeof ProfileRecord>

/** Open: other fields are metadata, stored and returned (rules/contract.md#metadata). */
export const ProfileInput = Type.Object(
  { userId: UserId, ...nullableProfileProperties },
  { ...OPEN_USER, accessAdvice: ACCESS_ADVICE.profile },
)

export const listProfiles = operation({
  name: 'profiles.list',
  path: '/v2/users/profiles/list',
  credentials: 'apiKey',
  scope: 'read',
  summary: 'List all profiles',
  description:
    'Lists the user profiles of the API key, for users with or without access, in the order of user ids or by name, page by page. Profiles are returned as stored, without computed defaults such as `initial`.',
  data: ClosedObject({
    userIds: Type.Optional(
      Items(UserId, 'Only these users, in the order of their ids; not together with another `orderBy`.'),
    ),
    orderBy: Type.Optional(OrderBy),
    ...PAGING,
  }),
  result: Type.Object({ profiles: Type.Array(ProfileRecord) }),
  success: 'Profiles listed successfully.',
  example: {},
})

export const setProfiles = operation({
  name: 'profiles.set',
  path: '/v2/users/profiles/set',
  credentials: 'apiKey',
  scope: 'write',
  summary: 'Store profiles',
  description:
    'Stores user profiles without granting any access. A profile that exists is merged: an absent field keeps its value, `null` clears it.',
  data: ClosedObject({ users: Items(ProfileInput, 'The same id twice: the last wins.') }),
  result: BatchResult,
  success: 'Profiles stored successfully.',
  example: { users: [{ userId: 'ada', name: 'Ada Lovelace', email: 'ada@example.com' }] },
})

export const PROFILE_OPERATIONS = [listProfiles, setProfiles]
