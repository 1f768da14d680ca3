/**
 * The access model of version 0.1: one grant of each user and resource, no groups, no disabled users, and everybody
 * whom an access type admits is an editor. It is kept unchanged, to show that access that it could express is decided
 * as before.
 */
import type { Decision } from '#contract/access/decisions.ts'
import type { AccessRole, AccessType, ResourceType } from '#contract/access/permissions.ts'

interface EarlierGrant {
  role: AccessRole
  /** Unix seconds. */
  expiresAt?: number
}

export interface EarlierResource {
  type: ResourceType
  id: string
  parent?: EarlierResource
  /** If absent, it is inherited from above. */
  accessType?: AccessType
  disabled: boolean
  /** By user id. */
  grants: Map<string, EarlierGrant>
}

const chainOf = (resource: EarlierResource): [EarlierResource, ...EarlierResource[]] =>
  resource.parent === undefined ? [resource] : [resource, ...chainOf(resource.parent)]

/** Decides at `now` in Unix seconds. */
export function decideEarlier(
  resource: EarlierResource,
  userId: string,
  now: number,
  defaultAccessType: AccessType,
  atLeast: AccessRole = 'viewer',
): Decision {
  const chain = chainOf(resource)
  const organization = chain.at(-1) ?? resource
  const boundary = chain.find(({ type, accessType }) => type !== 'organization' && accessType) ?? organization
  const accessType = resource.type === 'organization' ? undefined : (boundary.accessType ?? defaultAccessType)
  const shared = accessType === undefined ? {} : { accessType }
  if (organization.disabled || (resource.type === 'document' && resource.disabled))
    return { allowed: false, ...shared, reason: 'disabled' }

  const held = ({ grants }: EarlierResource) => grants.get(userId)
  const isLive = (grant: EarlierGrant) => grant.expiresAt === undefined || grant.expiresAt > now

  const answer = (counts: (grant: EarlierGrant) => boolean) => {
    const hasOne = (at: EarlierResource) => {
      const grant = held(at)
      return grant !== undefined && counts(grant)
    }
    const giver = chain.find(hasOne)
    const nearest = giver && held(giver)
    const accessRole = nearest?.role ?? 'editor'
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
  const expiries = [nearest?.expiresAt, reason === 'membership' ? held(organization)?.expiresAt : undefined]
  const expiresAt = Math.min(...expiries.filter((expiry) => expiry !== undefined))
  return {
    allowed: true,
    accessRole,
    ...shared,
    reason,
    via: { type: via.type, id: via.id, inherited: via !== resource },
    ...(expiresAt === Number.POSITIVE_INFINITY ? {} : { expiresAt }),
  }
}
