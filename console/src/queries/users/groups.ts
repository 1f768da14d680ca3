/** Queries and mutations of user groups and their members. */
import { keepPreviousData, mutationOptions, queryOptions } from '@tanstack/react-query'
import type {
  AddUserGroupsData,
  AddUserGroupUsersData,
  BatchResult,
  DeleteUserGroupsData,
  DeleteUserGroupUsersData,
  GetUsersData,
  OrderBy,
  UpdateUserGroupsData,
  UserGroupRecord,
  UserGroupUserResult,
  UserRecord,
} from '#sdk/generated/operations.ts'
import { isFound } from '#sdk/items.ts'
import type { CallOptions } from '#sdk/options.ts'
import { ITEMS_MAX } from '#sdk/shared/chunks.ts'
import type { Key } from '../../session/session.ts'
import { queryKeyOf, refetchingAll } from '../keys/keys.ts'
import { throwIfRefused } from '../pages/batch.ts'
import { deleteOne } from '../pages/deletion.ts'
import { all, pagesQuery } from '../pages/pages.ts'

export const userGroupsQuery = (key: Key, organizationId: string, orderBy: OrderBy = 'name') =>
  pagesQuery({
    queryKey: queryKeyOf(key, 'user-groups', organizationId, orderBy),
    method: key.client.userGroups.get,
    data: { organizationId, orderBy },
    rowsOf: (found) => found as UserGroupRecord[],
  })

/** Null when no group has this id. */
export const userGroupQuery = (key: Key, organizationId: string, groupId: string) =>
  queryOptions({
    queryKey: queryKeyOf(key, 'user-groups', organizationId, groupId),
    queryFn: async ({ signal }): Promise<UserGroupRecord | null> => {
      const args = { organizationId, organizationUserGroupIds: [groupId] }
      const [found] = await key.client.userGroups.get(args, { signal })
      return found !== undefined && isFound(found) ? found : null
    },
  })

/** Returns the names of user groups by id; groups without a name are absent. */
export async function groupNames(
  key: Key,
  organizationId: string,
  groupIds: readonly string[],
  options: CallOptions = {},
): Promise<Map<string, string>> {
  const organizationUserGroupIds = [...new Set(groupIds)].slice(0, ITEMS_MAX)
  if (organizationUserGroupIds.length === 0) return new Map()
  const found = await key.client.userGroups.get({ organizationId, organizationUserGroupIds }, options)
  return new Map(
    found.flatMap((group) =>
      'success' in group || group.groupName === undefined ? [] : [[group.groupId, group.groupName] as const],
    ),
  )
}

export const groupNamesQuery = (key: Key, organizationId: string, groupIds: readonly string[]) =>
  queryOptions({
    queryKey: queryKeyOf(key, 'user-groups', organizationId, 'names', groupIds),
    queryFn: ({ signal }) => groupNames(key, organizationId, groupIds, { signal }),
    enabled: groupIds.length > 0,
  })

const OFFERED_MAX = 20

export interface Candidates {
  members: UserRecord[]
  /** The users whom the text finds too, and who are in the group already. */
  inGroup: UserRecord[]
  /** Nobody has the text; these have it but for a typo. */
  areNear: boolean
}

/** The members of an organization that may be added to a group: the first ones, or those that a text finds. */
export const candidatesQuery = (key: Key, organizationId: string, groupId: string, query: string) =>
  queryOptions({
    queryKey: queryKeyOf(key, 'users', organizationId, 'candidates', groupId, query),
    queryFn: async ({ signal }): Promise<Candidates> => {
      const { users, search } = key.client
      const among = async (data: Omit<GetUsersData, 'organizationId'>) =>
        (await users.get({ organizationId, ...data }, { signal })) as UserRecord[]
      const searched = query === '' ? {} : { searchKey: query }
      const exact = await among({ pageSize: OFFERED_MAX, ...searched })
      const near =
        exact.length === 0 && query !== ''
          ? await search.find({ query, organizationId, kinds: ['user'], pageSize: OFFERED_MAX }, { signal })
          : []
      const found = near.length === 0 ? exact : await among({ userIds: near.map(({ id }) => id) })
      const userIds = found.map(({ userId }) => userId)
      const inGroup = found.length === 0 ? [] : await among({ userIds, organizationUserGroupIds: [groupId] })
      const already = new Set(inGroup.map(({ userId }) => userId))
      return { members: found.filter(({ userId }) => !already.has(userId)), inGroup, areNear: near.length > 0 }
    },
    placeholderData: keepPreviousData,
  })

const COUNTED_MAX = 100

/** Counts the members of a group; `hasMore`: there are more than these. */
export const memberCountQuery = (key: Key, organizationId: string, groupId: string) =>
  queryOptions({
    queryKey: queryKeyOf(key, 'user-groups', organizationId, groupId, 'count'),
    queryFn: async ({ signal }): Promise<{ count: number; hasMore: boolean }> => {
      const args = { organizationId, organizationUserGroupIds: [groupId], pageSize: COUNTED_MAX }
      for await (const { data, nextPageToken } of key.client.users.get.pages(args, { signal }))
        return { count: data.length, hasMore: nextPageToken !== undefined }
      return { count: 0, hasMore: false }
    },
  })

export const addUserGroups = (key: Key) =>
  mutationOptions({
    mutationFn: async (data: AddUserGroupsData) => throwIfRefused(await key.client.userGroups.add(data)),
    meta: refetchingAll(key),
  })

export const updateUserGroups = (key: Key) =>
  mutationOptions({
    mutationFn: async (data: UpdateUserGroupsData) => throwIfRefused(await key.client.userGroups.update(data)),
    meta: refetchingAll(key),
  })

export const deleteUserGroups = (key: Key) =>
  mutationOptions({
    mutationFn: (data: DeleteUserGroupsData) =>
      deleteOne(async () => throwIfRefused(await key.client.userGroups.delete(data))),
    meta: refetchingAll(key),
  })

/** Resolves to the users who were not in the group before. */
export const addUserGroupUsers = (key: Key) =>
  mutationOptions({
    mutationFn: async (data: AddUserGroupUsersData) => {
      const { organizationId, organizationUserGroupId, userIds } = data
      const args = { organizationId, organizationUserGroupIds: [organizationUserGroupId], userIds }
      const before = await all(key.client.users.get.pages(args))
      throwIfUsersRefused(await key.client.userGroupUsers.add(data))
      const members = new Set(before.flat().map(({ userId }) => userId))
      return userIds.filter((userId) => !members.has(userId))
    },
    meta: refetchingAll(key),
  })

export const deleteUserGroupUsers = (key: Key) =>
  mutationOptions({
    mutationFn: async (data: DeleteUserGroupUsersData) =>
      throwIfUsersRefused(await key.client.userGroupUsers.delete(data)),
    meta: refetchingAll(key),
  })

/** Throws when a user was refused. */
export const throwIfUsersRefused = (results: Record<string, UserGroupUserResult>): BatchResult =>
  throwIfRefused(
    Object.fromEntries(Object.entries(results).map(([id, { success, message }]) => [id, { success, message }])),
  )
