/** Queries about access: expired grants, the resources that a user has access to, and explanations. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type {
  ExplainedResource,
  ExplainPermissionsData,
  ListGrantsResult,
  ListPermittedResourcesData,
  ResourceName,
  ResourceType,
} from '#sdk/generated/operations.ts'
import { isSame } from '../resource.ts'
import type { Key } from '../session/session.ts'
import { queryKeyOf } from './keys.ts'
import { firstPage, pagesQuery } from './pages.ts'

export type ListedGrant = ListGrantsResult['grants'][number]

interface Place {
  type: ResourceType
  id: string
}

interface Expired {
  grants: ListedGrant[]
  /** How many grants of the organization were scanned. */
  scanned: number
}

/**
 * Expired grants on one of `places` that are still stored, without an active one beside them. The API lists all grants of the
 * organization, so each page is filtered here.
 */
export const expiredGrantsQuery = (key: Key, organizationId: string, places: readonly Place[]) =>
  infiniteQueryOptions({
    queryKey: queryKeyOf(key, 'grants', organizationId, 'expired', places),
    queryFn: async ({ pageParam, signal }) => {
      const args = { organizationId, ...(pageParam !== undefined && { pageToken: pageParam }) }
      return firstPage(key.client.grants.list.pages(args, { signal }))
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ data, nextPageToken }) => (isPast(data.grants.at(-1), places) ? undefined : nextPageToken),
    select: ({ pages }): Expired => {
      const all = pages.flatMap(({ data }) => data.grants)
      const active = new Set(all.filter((grant) => !isExpired(grant)).map(nameOf))
      const there = all.filter((grant) => places.some((place) => isSame(place, grant)))
      return {
        grants: there.filter((grant) => isExpired(grant) && !active.has(nameOf(grant))),
        scanned: all.length,
      }
    },
    refetchOnWindowFocus: false,
  })

const nameOf = ({ userId, type, id }: ListedGrant): string => JSON.stringify([userId, type, id])

const isExpired = ({ expiresAt }: ListedGrant): boolean => expiresAt !== undefined && expiresAt * 1000 <= Date.now()

const ORDER: readonly ResourceType[] = ['organization', 'folder', 'document']

/** Grants on the organization are listed first, then those on folders, then those on documents. */
const isPast = (last: ListedGrant | undefined, places: readonly Place[]): boolean =>
  last !== undefined && places.every(({ type }) => ORDER.indexOf(type) < ORDER.indexOf(last.type))

export const permittedResourcesQuery = (key: Key, data: Omit<ListPermittedResourcesData, 'pageToken'>) =>
  pagesQuery({
    queryKey: queryKeyOf(key, 'permitted-resources', data),
    method: key.client.permittedResources.list,
    data,
    rowsOf: ({ resources }) => resources,
  })

export const explanationQuery = (key: Key, data: ExplainPermissionsData) =>
  queryOptions({
    queryKey: queryKeyOf(key, 'explanation', data),
    queryFn: ({ signal }) => key.client.permissions.explain(data, { signal }),
  })

/** Any user id will do: the resources of a chain do not depend on the user. */
const ANYBODY = 'anybody'

/** A resource and its ancestors, nearest first: names, own access types, the boundary. Empty when it does not exist. */
export const chainQuery = (key: Key, resource: ResourceName) =>
  queryOptions({
    queryKey: queryKeyOf(key, 'chain', resource),
    queryFn: async ({ signal }): Promise<Chain> => {
      const { chain, decision } = await key.client.permissions.explain({ userId: ANYBODY, resource }, { signal })
      return { chain: chain.map(({ grants: _, ...entry }) => entry), migratedTo: decision.migratedTo }
    },
  })

export interface Chain {
  chain: Omit<ExplainedResource, 'grants'>[]
  /** The new id of a document that was migrated. */
  migratedTo: string | undefined
}
