/** The grants of an organization for an access review: one row for each holder and resource, with names and history. */
import { queryOptions } from '@tanstack/react-query'
import type { UserRecord } from '#sdk/generated/operations.ts'
import type { CallOptions } from '#sdk/options.ts'
import type { Key } from '../../session/session.ts'
import { queryKeyOf } from '../keys/keys.ts'
import { placeKey, resourceFacts } from '../resources/resource-names.ts'
import { groupNames } from '../users/groups.ts'
import type { ListedGrant } from './access.ts'
import { profilesAt } from './people.ts'

/** More grants than these are not reviewed in the console. */
export const REVIEWED_MAX = 10_000

const PAGE_SIZE = 200

/** The standing grant of a user or group on a resource, the temporary one, or both: they are revoked together. */
export interface ReviewedAccess extends Pick<ListedGrant, 'userId' | 'groupId' | 'type' | 'id' | 'lastActiveAt'> {
  grants: ListedGrant[]
  /** Of the user or group. */
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

/** Names the holder and the resource of a row, also in the decisions that a browser keeps. */
export const nameOfReviewed = ({ userId, groupId, type, id }: ReviewedAccess): string =>
  JSON.stringify([userId ?? null, groupId ?? null, type, id])

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
    refetchOnWindowFocus: false,
  })

async function named(key: Key, organizationId: string, grants: readonly ListedGrant[], signal: AbortSignal) {
  const [profiles, groups, resources] = await Promise.all([
    profilesOfHolders(key, organizationId, grants, { signal }),
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

/** Members are found with the organization, and guests where they have a grant: one call for each of these places. */
async function profilesOfHolders(
  key: Key,
  organizationId: string,
  grants: readonly ListedGrant[],
  options: CallOptions,
): Promise<Map<string, UserRecord>> {
  const grantOf = new Map(
    grants.flatMap((grant) => (grant.userId === undefined ? [] : [[grant.userId, grant] as const])),
  )
  const organization = { type: 'organization', id: organizationId } as const
  const members = await profilesAt(key, organizationId, [organization], [...grantOf.keys()], options)
  const ofGuests = [...grantOf].filter(([userId]) => !members.has(userId))
  const byPlace = [...Map.groupBy(ofGuests, ([, grant]) => placeKey(grant)).values()]
  const guests = await Promise.all(
    byPlace.map((some) =>
      profilesAt(
        key,
        organizationId,
        some.slice(0, 1).map(([, grant]) => grant),
        some.map(([userId]) => userId),
        options,
      ),
    ),
  )
  return new Map([...members, ...guests.flatMap((some) => [...some])])
}
