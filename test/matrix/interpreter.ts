/** The reference interpreter of the access model: maps and loops, no SQL. What the server answers is compared with this. */
import type { PermissionEntry } from '#contract/decisions.ts'
import type { AccessRole, AccessType, ResourceType } from '#contract/permissions.ts'

export interface Grant {
  role: AccessRole
  /** Unix seconds; at that very second it is over. */
  expiresAt?: number
}

export interface Resource {
  type: ResourceType
  id: string
  /** The folder that it is in, or the organization; absent for an organization. */
  parent?: Resource
  /** Absent: it follows what is above it. Organizations have none. */
  accessType?: AccessType
  disabled: boolean
  /** By user id. */
  grants: Map<string, Grant>
}

/** An entry of `permissions/get` without the words for people. */
export type Decision = Omit<PermissionEntry, 'error' | 'migratedTo'>

/** The resource, its folder, that folder's ancestors nearest first, the organization. */
export function chainOf(resource: Resource): [Resource, ...Resource[]] {
  return resource.parent === undefined ? [resource] : [resource, ...chainOf(resource.parent)]
}

/** Decides about a resource, or about an id that names none, at `now` in Unix seconds. */
export function decide(
  resource: Resource | undefined,
  userId: string,
  now: number,
  defaultAccessType: AccessType,
): Decision {
  if (resource === undefined) return { reason: 'does_not_exist', errorCode: 'does_not_exist' }

  const chain = chainOf(resource)
  const organization = chain.at(-1) ?? resource
  const boundary = chain.find(({ type, accessType }) => type !== 'organization' && accessType) ?? organization
  const accessType = resource.type === 'organization' ? undefined : (boundary.accessType ?? defaultAccessType)
  const shared = accessType === undefined ? {} : { accessType }

  if (organization.disabled || (resource.type === 'document' && resource.disabled))
    return { ...shared, reason: 'disabled', errorCode: 'permission_denied' }

  const held = ({ grants }: Resource) => grants.get(userId)
  const isLive = (grant: Grant) => grant.expiresAt === undefined || grant.expiresAt > now
  const hasLive = (at: Resource) => {
    const grant = held(at)
    return grant !== undefined && isLive(grant)
  }
  const hasAny = (at: Resource) => held(at) !== undefined

  const rule = (counts: (at: Resource) => boolean) => {
    const upToBoundary = chain.slice(0, chain.indexOf(boundary) + 1)
    if (upToBoundary.some(counts)) return 'grant'
    if (accessType === 'public') return 'access_type'
    if (accessType === 'organizationPrivate' && counts(organization)) return 'membership'
    return undefined
  }

  const reason = rule(hasLive)
  if (reason === undefined)
    return {
      ...shared,
      reason: rule(hasAny) === undefined ? 'no_grant' : 'grant_expired',
      errorCode: 'permission_denied',
    }

  const giver = chain.find(hasLive)
  const nearest = giver && held(giver)
  const via = { grant: giver ?? resource, access_type: boundary, membership: organization }[reason]
  const expiries = [nearest?.expiresAt, reason === 'membership' ? held(organization)?.expiresAt : undefined]
  const expiresAt = Math.min(...expiries.filter((expiry) => expiry !== undefined))
  return {
    accessRole: nearest?.role ?? 'editor',
    ...shared,
    reason,
    via: { type: via.type, id: via.id, inherited: via !== resource },
    ...(expiresAt === Number.POSITIVE_INFINITY ? {} : { expiresAt }),
  }
}
