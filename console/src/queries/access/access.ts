/** Queries about access: expired grants, the resources that a user has access to, and explanations. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type {
  ExplainedResource,
  ExplainPermissionsData,
  ListGrantsResult,
  ResourceName,
  ResourceType,
} from '#sdk/generated/operations.ts'
import { isSame } from '../../resource.ts'
import type { Key } from '../../session/session.ts'
import { queryKeyOf } from '../keys/keys.ts'
import { firstPage } from '../pages/pages.ts'

export type ListedGrant = ListGrantsResult['grants'][number]

type Grant = Pick<ListedGrant, 'accessRole' | 'expiresAt'>

interface Place {
  type: ResourceType
  id: string
}

/**
 * Grants of the organization, page by page: the API lists them all, in the order of resource types. With `places`, pages
 * after the last of these are not loaded.
 */
export const scannedGrantsQuery = (key: Key, organizationId: string, places?: readonly Place[]) =>
  infiniteQueryOptions({
    queryKey: queryKeyOf(key, 'grants', organizationId, 'scanned', places),
    queryFn: async ({ pageParam, signal }) => {
      const args = { organizationId, ...(pageParam !== undefined && { pageToken: pageParam }) }
      return firstPage(key.client.grants.list.pages(args, { signal }))
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ data, nextPageToken }) => (isPast(data.grants.at(-1), places) ? undefined : nextPageToken),
    refetchOnWindowFocus: false,
  })

/** Returns the expired grants on one of `places` that are still stored, without an active one beside them. */
export function expiredGrants(grants: readonly ListedGrant[], places: readonly Place[]): ListedGrant[] {
  const active = new Set(grants.filter((grant) => !isExpired(grant)).map(nameOf))
  return grants.filter(
    (grant) => places.some((place) => isSame(place, grant)) && isExpired(grant) && !active.has(nameOf(grant)),
  )
}

/** Returns the active grants of user groups on a resource, by the id of the group: a standing one, a temporary one, or both. */
export function groupGrants(grants: readonly ListedGrant[], resource: Place): Map<string, Grant[]> {
  const found = new Map<string, Grant[]>()
  for (const grant of grants) {
    const { groupId, accessRole, expiresAt } = grant
    if (groupId === undefined || !isSame(grant, resource) || isExpired(grant)) continue
    const held = found.get(groupId) ?? []
    found.set(groupId, expiresAt === undefined ? [{ accessRole }, ...held] : [...held, { accessRole, expiresAt }])
  }
  return found
}

/** Returns the active grants of these user groups on a resource. On each resource, grants of groups are listed first. */
export async function groupGrantsAt(key: Key, organizationId: string, resource: Place, groupIds: readonly string[]) {
  const there: ListedGrant[] = []
  if (groupIds.length > 0)
    for await (const { data } of key.client.grants.list.pages({ organizationId })) {
      there.push(...data.grants.filter((grant) => isSame(grant, resource)))
      if (there.at(-1)?.userId !== undefined || isPast(data.grants.at(-1), [resource])) break
    }
  return groupGrants(there, resource)
}

const nameOf = ({ userId, groupId, type, id }: ListedGrant): string => JSON.stringify([userId, groupId, type, id])

export const isExpired = ({ expiresAt }: Pick<ListedGrant, 'expiresAt'>): boolean =>
  expiresAt !== undefined && expiresAt * 1000 <= Date.now()

const ORDER: readonly ResourceType[] = ['organization', 'folder', 'document']

/** Grants on the organization are listed first, then those on folders, then those on documents. */
const isPast = (last: ListedGrant | undefined, places: readonly Place[] | undefined): boolean =>
  last !== undefined && (places?.every(({ type }) => ORDER.indexOf(type) < ORDER.indexOf(last.type)) ?? false)

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
