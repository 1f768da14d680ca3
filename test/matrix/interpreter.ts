/**
 * The reference interpreter of the rules of access (rules/access.md#proof): maps and loops, no SQL. The decisions of
 * the server are compared with it.
 */
import type * as contract from '#contract/access/decisions.ts'
import type { AccessRole, AccessType, ResourceType } from '#contract/access/permissions.ts'

/** From the weakest to the strongest (rules/access.md#role). */
const STRENGTH: readonly AccessRole[] = ['viewer', 'commenter', 'editor']

/** A standing grant, or a temporary one if it has an expiry. */
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
  /** If absent, it is inherited from above. Organizations have none. */
  accessType?: AccessType
  disabled: boolean
  /**
   * By user id, or by group in `groups` of the organization: at most one standing and one temporary grant each
   * (rules/access.md#grants).
   */
  grants: Map<string, Grant[]>
  /** The users of each group of an organization. No group has the id of a user. */
  groups?: Map<string, Set<string>>
}

/** The settings of the API key that decide if nothing else does. */
export interface Defaults {
  accessType: AccessType
  /** The role of users whom an access type admits and who have no grant. */
  accessRole: AccessRole
  /** Whether the key has the role `commenter`; without it, no grant has the role and no question names it (rules/access.md#commenters). */
  hasCommenter?: boolean
}

/** The facts that decide in addition to the resources. */
export interface Key extends Defaults {
  /** Denied everything (rules/access.md#disabled-users). */
  disabledUsers?: readonly string[]
}

/** The new id of a migrated document is not part of a decision. */
export type Decision = Omit<contract.Decision, 'migratedTo'>

/**
 * Returns the resource, its folder, that folder's ancestors from the nearest, and the organization
 * (rules/access.md#chain).
 */
export function chainOf(resource: Resource): [Resource, ...Resource[]] {
  return resource.parent === undefined ? [resource] : [resource, ...chainOf(resource.parent)]
}

/** A grant of the user, with the group if it comes from one. */
type Held = Grant & { group?: string }

const endOf = ({ expiresAt = Number.POSITIVE_INFINITY }: Grant): number => expiresAt

/** Returns when the last of some grants ends: never if there are none. */
const lastEnd = (ends: number[]): number => (ends.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...ends))

const strengthOf = (role: AccessRole): number => STRENGTH.indexOf(role)

const widest = (roles: readonly (AccessRole | undefined)[]): AccessRole =>
  STRENGTH.findLast((role) => roles.includes(role)) ?? 'viewer'

const byEndThenGroup = (one: Held, other: Held): number =>
  endOf(other) === endOf(one) ? ((one.group ?? '') < (other.group ?? '') ? -1 : 1) : endOf(other) - endOf(one)

/** Decides about a resource, or about an unknown id, at `now` in Unix seconds (rules/access.md#decision). */
export function decide(
  resource: Resource | undefined,
  userId: string,
  now: number,
  key: Key,
  atLeast: AccessRole = 'viewer',
): Decision {
  if (resource === undefined) return { allowed: false, reason: 'does_not_exist' }

  const chain = chainOf(resource)
  const organization = chain.at(-1) ?? resource
  const boundary = chain.find(({ type, accessType }) => type !== 'organization' && accessType) ?? organization
  const accessType = resource.type === 'organization' ? undefined : (boundary.accessType ?? key.accessType)
  const shared = accessType === undefined ? {} : { accessType }

  if (organization.disabled || (resource.type === 'document' && resource.disabled))
    return { allowed: false, ...shared, reason: 'disabled' }
  if (key.disabledUsers?.includes(userId)) return { allowed: false, ...shared, reason: 'user_disabled' }

  const isLive = (grant: Grant) => grant.expiresAt === undefined || grant.expiresAt > now
  const own = ({ grants }: Resource): Held[] => grants.get(userId) ?? []
  const groups = [...(organization.groups ?? [])].flatMap(([group, users]) => (users.has(userId) ? [group] : []))
  const ofGroups = ({ grants }: Resource): Held[] =>
    groups.flatMap((group) => (grants.get(group) ?? []).map((grant) => ({ ...grant, group })))

  /** Returns the rule that allows access and the resulting role, given the grants that count. */
  const answer = (counts: (grant: Grant) => boolean) => {
    const isMember = own(organization).some(counts)
    const held = (at: Resource) => [...own(at), ...(isMember ? ofGroups(at) : [])].filter(counts)
    const hasOne = (at: Resource) => held(at).length > 0
    const giver = chain.find(hasOne)
    const nearest = giver === undefined ? [] : held(giver)
    const accessRole = widest(nearest.length > 0 ? nearest.map(({ role }) => role) : [key.accessRole])
    const rule = (): 'grant' | 'access_type' | 'membership' | undefined => {
      if (chain.slice(0, chain.indexOf(boundary) + 1).some(hasOne)) return 'grant'
      if (accessType === 'public') return 'access_type'
      if (accessType === 'organizationPrivate' && hasOne(organization)) return 'membership'
      return undefined
    }
    const reason = strengthOf(accessRole) < strengthOf(atLeast) ? undefined : rule()
    return { reason, accessRole, giver, nearest }
  }

  const { reason, accessRole, giver, nearest } = answer(isLive)
  if (reason === undefined) {
    const withExpired = answer(() => true)
    return { allowed: false, ...shared, reason: withExpired.reason === undefined ? 'no_grant' : 'grant_expired' }
  }
  const via = { grant: giver ?? resource, access_type: boundary, membership: organization }[reason]
  const isByDefault = reason === 'access_type' && via === organization
  const memberUntil = lastEnd(own(organization).filter(isLive).map(endOf))
  const giving = nearest.filter(({ role }) => role === accessRole)
  const ends = giving.map((grant) => (grant.group === undefined ? endOf(grant) : Math.min(endOf(grant), memberUntil)))
  const expiresAt = Math.min(lastEnd(ends), reason === 'membership' ? memberUntil : Number.POSITIVE_INFINITY)
  const isOwn = giving.some((grant) => grant.group === undefined && endOf(grant) >= lastEnd(ends))
  const [strongest] = giving.filter(({ group }) => group !== undefined).sort(byEndThenGroup)
  const group = isOwn || reason !== 'grant' ? undefined : strongest?.group
  return {
    allowed: true,
    accessRole,
    ...shared,
    reason,
    via: {
      ...(isByDefault ? { type: 'keyDefault' as const } : { type: via.type, id: via.id }),
      inherited: via !== resource,
      ...(group === undefined ? {} : { group }),
    },
    ...(expiresAt === Number.POSITIVE_INFINITY ? {} : { expiresAt }),
  }
}

/**
 * Returns the resources to which a user has access inside a folder or organization without access to that itself;
 * undefined if there are none, or only public ones (rules/access.md#lists-of-access).
 */
export function insideOf(
  place: Resource,
  resources: Iterable<Resource>,
  userId: string,
  now: number,
  key: Key,
  atLeast?: AccessRole,
): { resources: number; accessRole: AccessRole } | undefined {
  const decided = (resource: Resource) => decide(resource, userId, now, key, atLeast)
  if (decided(place).allowed) return undefined
  const inside = [...resources].filter((resource) => resource !== place && chainOf(resource).includes(place))
  const reached = inside.map(decided).filter(({ allowed }) => allowed)
  const isOfEverybody = ({ reason, accessRole = 'viewer' }: Decision) =>
    reason === 'access_type' && strengthOf(accessRole) <= strengthOf(key.accessRole)
  if (reached.every(isOfEverybody)) return undefined
  return { resources: reached.length, accessRole: widest(reached.map(({ accessRole }) => accessRole)) }
}
