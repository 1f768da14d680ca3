/** Queries and mutations of users and members. */
import { mutationOptions, queryOptions } from '@tanstack/react-query'
import type {
  CountUsersData,
  DisableUsersData,
  GetUsersData,
  ListProfilesData,
  OrderBy,
  SetProfilesData,
  UserRecord,
} from '#sdk/generated/operations.ts'
import type { CallOptions, Page } from '#sdk/options.ts'
import { chunks } from '#sdk/shared/chunks.ts'
import type { Key } from '../../session/session.ts'
import { queryKeyOf, refetchingAll } from '../keys/keys.ts'
import { throwIfRefused } from '../pages/batch.ts'
import { type Deletion, deleteOne } from '../pages/deletion.ts'
import { pagesQuery } from '../pages/pages.ts'
import { throwIfUsersRefused } from './groups.ts'
import { readUserAccess, type UserAccess } from './user-data.ts'

/** `searchKey` matches parts of names, addresses and ids. */
export const usersQuery = (key: Key, data: Omit<GetUsersData, 'pageToken' | 'groupByDocumentId'>) =>
  pagesQuery({
    queryKey: queryKeyOf(key, 'users', data.organizationId, data),
    method: key.client.users.get,
    data,
    firstPageSize: 100,
    // The call does not group by document.
    rowsOf: (found) => found as UserRecord[],
  })

export const userCountQuery = (key: Key, data: CountUsersData) =>
  queryOptions({
    queryKey: queryKeyOf(key, 'users', data.organizationId, 'count', data),
    queryFn: async ({ signal }) => (await key.client.users.count(data, { signal })).count,
  })

/** Profiles do not say whether their users are disabled. */
async function* markedProfiles(
  key: Key,
  data: ListProfilesData,
  options?: CallOptions,
): AsyncGenerator<Page<UserRecord[]>, void, undefined> {
  for await (const page of key.client.profiles.list.pages(data, options)) {
    const { profiles } = page.data
    const userIds = profiles.map(({ userId }) => userId)
    const { users } = profiles.length === 0 ? { users: [] } : await key.client.disabledUsers.list({ userIds }, options)
    const disabled = new Set(users.map(({ userId }) => userId))
    yield { ...page, data: profiles.map((user) => (disabled.has(user.userId) ? { ...user, disabled: true } : user)) }
  }
}

/** All profiles, with the mark of disabled users. */
export const profilesQuery = (key: Key, orderBy: OrderBy) =>
  pagesQuery({
    queryKey: queryKeyOf(key, 'profiles', orderBy),
    method: { pages: (data: ListProfilesData = {}, options) => markedProfiles(key, data, options) },
    data: { orderBy, pageSize: 100 },
    rowsOf: (users) => users,
  })

/** The disabled users of the key, with and without a profile. */
export const disabledUsersQuery = (key: Key) =>
  pagesQuery({
    queryKey: queryKeyOf(key, 'disabled-users'),
    method: key.client.disabledUsers.list,
    data: { pageSize: 100 },
    rowsOf: ({ users }) => users.map(({ userId }): UserRecord => ({ userId, disabled: true })),
  })

/** Stores profiles without granting access. */
export const setProfiles = (key: Key) =>
  mutationOptions({
    mutationFn: async (data: SetProfilesData) => throwIfRefused(await key.client.profiles.set(data)),
    meta: refetchingAll(key),
  })

interface Membership {
  organizationId: string
  userId: string
}

/** Removes a user from an organization with all grants in it, and resolves to the removed grants. */
export const removeMember = (key: Key) =>
  mutationOptions({
    mutationFn: async ({ organizationId, userId }: Membership): Promise<UserAccess & Deletion> => {
      const access = await readUserAccess(key, organizationId, userId)
      const removal = await deleteOne(async () =>
        throwIfRefused(await key.client.users.delete({ organizationId, userIds: [userId] })),
      )
      return { ...access, ...removal }
    },
    meta: refetchingAll(key),
  })

/** Restores what `removeMember` removed, except grants that have expired since. */
export const restoreMember = (key: Key) =>
  mutationOptions({
    mutationFn: async ({ organizationId, userId, access }: Membership & { access: UserAccess }) => {
      const now = Date.now() / 1_000
      const grants = access.grants
        .filter(({ expiresAt }) => expiresAt === undefined || expiresAt > now)
        .map((grant) => ({ ...grant, userId, ...(grant.type === 'organization' ? {} : { organizationId }) }))
      for (const some of chunks(grants)) await key.client.grants.add({ grants: some })
      for (const organizationUserGroupId of access.groupIds)
        throwIfUsersRefused(
          await key.client.userGroupUsers.add({ organizationId, organizationUserGroupId, userIds: [userId] }),
        )
    },
    meta: refetchingAll(key),
  })

export const disableUsers = (key: Key) =>
  mutationOptions({
    mutationFn: async (data: DisableUsersData) => throwIfRefused(await key.client.users.disable(data)),
    meta: refetchingAll(key),
  })

export const revokeUserTokens = (key: Key) =>
  mutationOptions({
    mutationFn: (userId: string) => key.client.userTokens.revoke({ userId }),
    meta: { invalidates: [queryKeyOf(key, 'events')] },
  })
