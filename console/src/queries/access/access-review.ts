/** The grants of an organization for an access review: one row for each holder and resource, with names and history. */
import { queryOptions } from '@tanstack/react-query'
import type { Key } from '../../session/session.ts'
import { queryKeyOf } from '../keys/keys.ts'
import { placeKey, resourceFacts } from '../resources/resource-names.ts'
import { groupNames } from '../users/groups.ts'
import type { ListedGrant } from './access.ts'
import { profilesOf } from './people.ts'

/** More grants than these are not reviewed in the console. */
export const REVIEWED_MAX = 10_000

const PAGE_SIZE = 200

/** The standing grant of a user or group on a resource, the temporary one, or both: they are revoked together. */
export interface ReviewedAccess extends Pick<ListedGrant, 'userId' | 'groupId' | 'type' | 'id' | 'lastActiveAt'> {
  grants: ListedGrant[]
  /** The name of the user or group. */
  name?: string | undefined
  resourceName?: string | undefined
  /** Everyone has access to the resource, with any decision of the review. */
  isPublic: boolean
}

export interface AccessReview {
  rows: ReviewedAccess[]
  /** There are more grants than are shown. */
  isCut: boolean
}

/** Names the holder and the resource of a row. */
export const nameOfReviewed = ({
  userId,
  groupId,
  type,
  id,
}: Pick<ListedGrant, 'userId' | 'groupId' | 'type' | 'id'>) =>
  JSON.stringify([userId ?? null, groupId ?? null, type, id])

/**
 * Names what a decision is about, in what a browser keeps: the row with the roles and expiries of its grants. A decision about a
 * viewer says nothing about the editor that somebody made of the viewer since.
 */
export const nameOfDecided = (row: ReviewedAccess): string =>
  JSON.stringify([
    nameOfReviewed(row),
    ...row.grants.map(({ accessRole, expiresAt }) => [accessRole, expiresAt ?? null]),
  ])

export const accessReviewQuery = (key: Key, organizationId: string) =>
  queryOptions({
    queryKey: queryKeyOf(key, 'access-review', organizationId),
    queryFn: async ({ signal }): Promise<AccessReview> => {
      const rows = new Map<string, ReviewedAccess>()
      let count = 0
      const args = { organizationId, includeHistory: true, pageSize: PAGE_SIZE }
      for await (const { data } of key.client.grants.list.pages(args, { signal })) {
        if (count >= REVIEWED_MAX) return { rows: [...rows.values()], isCut: true }
        count += data.grants.length
        for (const row of await named(key, organizationId, data.grants, signal)) {
          const name = nameOfReviewed(row)
          const known = rows.get(name)
          if (known === undefined) rows.set(name, row)
          else known.grants.push(...row.grants)
        }
      }
      return { rows: [...rows.values()], isCut: false }
    },
    // Stale only after a change: rows must not move while somebody decides. Another visit reads the grants again.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
  })

async function named(key: Key, organizationId: string, grants: readonly ListedGrant[], signal: AbortSignal) {
  const [profiles, groups, resources] = await Promise.all([
    profilesOf(
      key,
      grants.flatMap(({ userId }) => userId ?? []),
      { signal },
    ),
    groupNames(
      key,
      organizationId,
      grants.flatMap(({ groupId }) => groupId ?? []),
      { signal },
    ),
    resourceFacts(key, organizationId, grants, { signal }),
  ])
  return grants.map((grant): ReviewedAccess => {
    const { userId, groupId, type, id, lastActiveAt } = grant
    const name = groupId === undefined ? profiles.get(userId ?? '')?.name : groups.get(groupId)
    return {
      userId,
      groupId,
      type,
      id,
      lastActiveAt,
      grants: [grant],
      name,
      resourceName: resources.get(placeKey(grant))?.name,
      isPublic: resources.get(placeKey(grant))?.isPublic ?? false,
    }
  })
}
