/** The reference interpreter of the rules of access (rules/access.md#proof): maps and loops, no SQL. The decisions of the server are compared with it. */
import type * as contract from '#contract/decisions.ts'
import type { AccessRole, AccessType, ResourceType } from '#contract/permissions.ts'

/** A standing grant, or with an expiry a temporary one. */
export interface Grant {
  role: AccessRole
  /** Unix seconds; at exactly this second it has expired (rules/access.md#expired-grants). */
  expiresAt?: number
}

export interface Resource {
  type: ResourceType
  id: string
  /** Its folder, or the organization; absent for an organization. */
  parent?: Resource
  /** Absent: inherited from above. Organizations have none. */
  accessType?: AccessType
  disabled: boolean
  /** By user id: at most one standing and one temporary grant each (rules/access.md#grants). */
  grants: Map<string, Grant[]>
}

/** The new id of a migrated document is not part of a decision. */
export type Decision = Omit<contract.Decision, 'migratedTo'>

/** Returns the resource, its folder, that folder's ancestors from the nearest, and the organization (rules/access.md#chain). */
export function chainOf(resource: Resource): [Resource, ...Resource[]] {
  return resource.parent === undefined ? [resource] : [resource, ...chainOf(resource.parent)]
}

/** Decides about a resource, or about an unknown id, at `now` in Unix seconds (rules/access.md#decision). */
export function decide(
  resource: Resource | undefined,
  userId: string,
  now: number,
  defaultAccessType: AccessType,
  atLeast: AccessRole = 'viewer',
): Decision {
  if (resource === undefined) return { allowed: false, reason: 'does_not_exist' }

  const chain = chainOf(resource)
  const organization = chain.at(-1) ?? resource
  const boundary = chain.find(({ type, accessType }) => type !== 'organization' && accessType) ?? organization
  const accessType = resource.type === 'organization' ? undefined : (boundary.accessType ?? defaultAccessType)
  const shared = accessType === undefined ? {} : { accessType }

  if (organization.disabled || (resource.type === 'document' && resource.disabled))
    return { allowed: false, ...shared, reason: 'disabled' }

  const held = ({ grants }: Resource) => grants.get(userId) ?? []
  const isLive = (grant: Grant) => grant.expiresAt === undefined || grant.expiresAt > now

  /** Returns the rule that allows access and the resulting role, given the grants that count. */
  const answer = (counts: (grant: Grant) => boolean) => {
    const hasOne = (at: Resource) => held(at).some(counts)
    const giver = chain.find(hasOne)
    const nearest = giver === undefined ? [] : held(giver).filter(counts)
    const accessRole: AccessRole =
      nearest.length > 0 && nearest.every(({ role }) => role === 'viewer') ? 'viewer' : 'editor'
    const rule = (): 'grant' | 'access_type' | 'membership' | undefined => {
      if (chain.slice(0, chain.indexOf(boundary) + 1).some(hasOne)) return 'grant'
      if (accessType === 'public') return 'access_type'
      if (accessType === 'organizationPrivate' && hasOne(organization)) return 'membership'
      return undefined
    }
    const reason = atLeast === 'editor' && accessRole === 'viewer' ? undefined : rule()
    return { reason, accessRole, giver, nearest }
  }

  const { reason, accessRole, giver, nearest } = answer(isLive)
  if (reason === undefined) {
    const withExpired = answer(() => true)
    return { allowed: false, ...shared, reason: withExpired.reason === undefined ? 'no_grant' : 'grant_expired' }
  }
  const via = { grant: giver ?? resource, access_type: boundary, membership: organization }[reason]
  /** When the last of some grants ends: never if there are none, or one has no end. */
  const end = (grants: Grant[]) =>
    grants.length === 0
      ? Number.POSITIVE_INFINITY
      : Math.max(...grants.map((grant) => grant.expiresAt ?? Number.POSITIVE_INFINITY))
  const expiresAt = Math.min(
    end(nearest.filter(({ role }) => role === accessRole)),
    end(reason === 'membership' ? held(organization).filter(isLive) : []),
  )
  return {
    allowed: true,
    accessRole,
    ...shared,
    reason,
    via: { type: via.type, id: via.id, inherited: via !== resource },
    ...(expiresAt === Number.POSITIVE_INFINITY ? {} : { expiresAt }),
  }
}
