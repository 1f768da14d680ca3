/** Queries and mutations of users, members and groups. */
import { mutationOptions, queryOptions } from '@tanstack/react-query'
import type {
  AddUsersData,
  CountUsersData,
  GetUsersData,
  SetProfilesData,
  UserGroupRecord,
  UserRecord,
} from '#sdk/generated/operations.ts'
import type { Key } from '../session/session.ts'
import { ITEMS_MAX, refusals } from './batch.ts'
import { ofUsers } from './groups.ts'
import { ofKey } from './keys.ts'
import { pagesQuery } from './pages.ts'
import { type Held, heldIn } from './user-data.ts'

/** `searchKey` matches parts of names, addresses and ids. */
export const usersQuery = (key: Key, data: Omit<GetUsersData, 'pageToken' | 'groupByDocumentId'>) =>
  pagesQuery({
    queryKey: ofKey(key, 'users', data.organizationId, data),
    method: key.client.users.get,
    data,
    firstPageSize: 100,
    // The call does not group by document.
    rowsOf: (found) => found as UserRecord[],
  })

export const userCountQuery = (key: Key, data: CountUsersData) =>
  queryOptions({
    queryKey: ofKey(key, 'users', data.organizationId, 'count', data),
    queryFn: async ({ signal }) => (await key.client.users.count(data, { signal })).count,
  })

export const profilesQuery = (key: Key) =>
  pagesQuery({
    queryKey: ofKey(key, 'profiles'),
    method: key.client.profiles.list,
    data: { pageSize: 100 },
    rowsOf: ({ profiles }) => profiles,
  })

export const userGroupsQuery = (key: Key, organizationId: string) =>
  pagesQuery({
    queryKey: ofKey(key, 'user-groups', organizationId),
    method: key.client.userGroups.get,
    data: { organizationId },
    rowsOf: (found) => found as UserGroupRecord[],
  })

const meta = (key: Key) => ({ invalidates: [ofKey(key)] })

/** Stores profiles without granting access. */
export const setProfiles = (key: Key) =>
  mutationOptions({
    mutationFn: async (data: SetProfilesData) => refusals(await key.client.profiles.set(data)),
    meta: meta(key),
  })

/** Stores profiles and makes the users members of the organization. */
export const addUsers = (key: Key) =>
  mutationOptions({
    mutationFn: async (data: AddUsersData) => refusals(await key.client.users.add(data)),
    meta: meta(key),
  })

interface InOrganization {
  organizationId: string
  userId: string
}

/** Removes a user from an organization with all grants in it, and resolves to what was removed. */
export const takeOut = (key: Key) =>
  mutationOptions({
    mutationFn: async ({ organizationId, userId }: InOrganization): Promise<Held> => {
      const held = await heldIn(key, organizationId, userId)
      refusals(await key.client.users.delete({ organizationId, userIds: [userId] }))
      return held
    },
    meta: meta(key),
  })

/** Restores what `removeMember` removed, except grants that have expired since. */
export const putBack = (key: Key) =>
  mutationOptions({
    mutationFn: async ({ organizationId, userId, held }: InOrganization & { held: Held }) => {
      const now = Date.now() / 1_000
      const grants = held.grants
        .filter(({ expiresAt }) => expiresAt === undefined || expiresAt > now)
        .map((grant) => ({ ...grant, userId, ...(grant.type === 'organization' ? {} : { organizationId }) }))
      for (let start = 0; start < grants.length; start += ITEMS_MAX)
        await key.client.grants.add({ grants: grants.slice(start, start + ITEMS_MAX) })
      for (const organizationUserGroupId of held.groupIds)
        ofUsers(await key.client.userGroupUsers.add({ organizationId, organizationUserGroupId, userIds: [userId] }))
    },
    meta: meta(key),
  })

export const revokeUserTokens = (key: Key) =>
  mutationOptions({
    mutationFn: (userId: string) => key.client.userTokens.revoke({ userId }),
    meta: { invalidates: [ofKey(key, 'events')] },
  })
