/** Who may do what: grants, who reaches a resource, what a user reaches, and why. */
import { queryOptions } from '@tanstack/react-query'
import type {
  ExplainedResource,
  ExplainPermissionsData,
  ListPermittedResourcesData,
  ListPermittedUsersData,
  ResourceName,
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

/** Whoever is asked about: what stands on the resources of a chain does not depend on the user. */
const ANYBODY = 'anybody'

/** A resource with those above it, nearest first: names, own access types, the boundary. An empty chain: there is none. */
export const chainQuery = (key: Key, resource: ResourceName) =>
  queryOptions({
    queryKey: ofKey(key, 'chain', resource),
    queryFn: async ({ signal }): Promise<Chain> => {
      const { chain, decision } = await key.client.permissions.explain({ userId: ANYBODY, resource }, { signal })
      return { chain: chain.map(({ grant: _, ...entry }) => entry), migratedTo: decision.migratedTo }
    },
  })

export interface Chain {
  chain: Omit<ExplainedResource, 'grant'>[]
  /** Where a document went that is not there any more. */
  migratedTo: string | undefined
}
