/** `users/profiles/*`: the profiles of an API key, of users who hold grants and of those who hold none. */
import Type from 'typebox'
import { BatchResult } from './envelope.ts'
import { Items, PageSize, PageToken, UserId } from './ids.ts'
import { operation } from './operation.ts'
import { nullableProfileProperties, profileProperties } from './users.ts'

const ProfileRecord = Type.Object({ userId: Type.String(), ...profileProperties }, { additionalProperties: true })
export type ProfileRecord = Type.Static<typeof ProfileRecord>

/** Open: other fields are metadata, stored and returned (rules/contract.md#metadata). */
export const ProfileInput = Type.Object(
  { userId: UserId, ...nullableProfileProperties },
  { additionalProperties: true, metadata: true },
)

export const listProfiles = operation({
  name: 'profiles.list',
  path: '/v2/users/profiles/list',
  credentials: 'apiKey',
  scope: 'read',
  summary: 'List all profiles',
  description:
    'The profiles of all users that the API key has one of, whatever they have access to, in order of user id, page by page; as they are stored, without what is filled in for showing.',
  data: Type.Object(
    { pageSize: Type.Optional(PageSize), pageToken: Type.Optional(PageToken) },
    { additionalProperties: false },
  ),
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
    'Stores profiles of users without granting them anything. A profile that is there is merged: an absent field stays, `null` clears it.',
  data: Type.Object(
    { users: Items(ProfileInput, 'The same id twice: the last wins.') },
    { additionalProperties: false },
  ),
  result: BatchResult,
  success: 'Profiles stored successfully.',
  example: { users: [{ userId: 'ada', name: 'Ada Lovelace', email: 'ada@example.com' }] },
})
