/** A user group, and mutations of groups and their members. */
import { mutationOptions, queryOptions } from '@tanstack/react-query'
import type {
  AddUserGroupsData,
  AddUserGroupUsersData,
  BatchResult,
  DeleteUserGroupsData,
  DeleteUserGroupUsersData,
  UpdateUserGroupsData,
  UserGroupRecord,
  UserGroupUserResult,
  UserRecord,
} from '#sdk/generated/operations.ts'
import type { Key } from '../session/session.ts'
import { refusals } from './batch.ts'
import { ofKey } from './keys.ts'
import { all } from './pages.ts'

/** Null when no group has this id. */
export const userGroupQuery = (key: Key, organizationId: string, groupId: string) =>
  queryOptions({
    queryKey: ofKey(key, 'user-groups', organizationId, groupId),
    queryFn: async ({ signal }): Promise<UserGroupRecord | null> => {
      const asked = { organizationId, organizationUserGroupIds: [groupId] }
      const [found] = await key.client.userGroups.get(asked, { signal })
      return found === undefined || 'success' in found ? null : found
    },
  })

const meta = (key: Key) => ({ invalidates: [ofKey(key)] })

export const addUserGroups = (key: Key) =>
  mutationOptions({
    mutationFn: async (data: AddUserGroupsData) => refusals(await key.client.userGroups.add(data)),
    meta: meta(key),
  })

export const updateUserGroups = (key: Key) =>
  mutationOptions({
    mutationFn: async (data: UpdateUserGroupsData) => refusals(await key.client.userGroups.update(data)),
    meta: meta(key),
  })

export const deleteUserGroups = (key: Key) =>
  mutationOptions({
    mutationFn: async (data: DeleteUserGroupsData) => refusals(await key.client.userGroups.delete(data)),
    meta: meta(key),
  })

/** Resolves to the users who were not in the group before. */
export const addUserGroupUsers = (key: Key) =>
  mutationOptions({
    mutationFn: async (data: AddUserGroupUsersData) => {
      const { organizationId, organizationUserGroupId, userIds } = data
      const asked = { organizationId, organizationUserGroupIds: [organizationUserGroupId], userIds }
      const before = await all(key.client.users.get.pages(asked))
      ofUsers(await key.client.userGroupUsers.add(data))
      // The call does not group by document.
      const there = new Set((before.flat() as UserRecord[]).map(({ userId }) => userId))
      return userIds.filter((userId) => !there.has(userId))
    },
    meta: meta(key),
  })

export const deleteUserGroupUsers = (key: Key) =>
  mutationOptions({
    mutationFn: async (data: DeleteUserGroupUsersData) => ofUsers(await key.client.userGroupUsers.delete(data)),
    meta: meta(key),
  })

/** Throws when a user was refused. */
export const ofUsers = (results: Record<string, UserGroupUserResult>): BatchResult =>
  refusals(Object.fromEntries(Object.entries(results).map(([id, { success, message }]) => [id, { success, message }])))
