/** Who may do what: grants, who reaches a resource, what a user reaches, and why. */
import { queryOptions } from '@tanstack/react-query'
import type {
  ExplainPermissionsData,
  ListPermittedResourcesData,
  ListPermittedUsersData,
} from '#sdk/generated/operations.ts'
import type { Key } from '../session/session.ts'
import { ofKey } from './keys.ts'
import { pagesQuery } from './pages.ts'

export const grantsQuery = (key: Key, organizationId: string) =>
  pagesQuery({
    queryKey: ofKey(key, 'grants', organizationId),
    method: key.client.grants.list,
    data: { organizationId },
    rowsOf: ({ grants }) => grants,
  })

export const permittedUsersQuery = (key: Key, data: Omit<ListPermittedUsersData, 'pageToken'>) =>
  pagesQuery({
    queryKey: ofKey(key, 'permitted-users', data),
    method: key.client.permittedUsers.list,
    data,
    rowsOf: ({ users }) => users,
  })

export const permittedResourcesQuery = (key: Key, data: Omit<ListPermittedResourcesData, 'pageToken'>) =>
  pagesQuery({
    queryKey: ofKey(key, 'permitted-resources', data),
    method: key.client.permittedResources.list,
    data,
    rowsOf: ({ resources }) => resources,
  })

export const explanationQuery = (key: Key, data: ExplainPermissionsData) =>
  queryOptions({
    queryKey: ofKey(key, 'explanation', data),
    queryFn: ({ signal }) => key.client.permissions.explain(data, { signal }),
  })
