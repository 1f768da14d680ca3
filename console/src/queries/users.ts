/** Users of an organization or of the whole key, and groups. */
import { queryOptions } from '@tanstack/react-query'
import type { CountUsersData, GetUsersData, UserGroupRecord, UserRecord } from '#sdk/generated/operations.ts'
import type { Key } from '../session/session.ts'
import { ofKey } from './keys.ts'
import { pagesQuery } from './pages.ts'

/** `searchKey` finds by the beginning of names, addresses and ids. */
export const usersQuery = (key: Key, data: Omit<GetUsersData, 'pageToken' | 'groupByDocumentId'>) =>
  pagesQuery({
    queryKey: ofKey(key, 'users', data.organizationId, data),
    method: key.client.users.get,
    data,
    // Not grouped by document.
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
