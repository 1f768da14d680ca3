/** Puts the rule that decided into a sentence about the case (rules/access.md#decision). */
import type { Decision } from '#contract/access/decisions.ts'
import type { ExplainedResource } from '#contract/access/explanations.ts'
import type { AccessRole, ResourceName } from '#contract/access/permissions.ts'

/** A decision with the facts from which it follows. */
export interface Explained {
  userId: string
  resource: ResourceName
  decision: Decision
  userDisabled: boolean
  /** From the resource in question up to the organization; empty if it does not exist. */
  chain: ExplainedResource[]
}

export const label = ({ type, id }: Pick<ResourceName, 'type' | 'id'>): string => `${type} "${id}"`

const time = (seconds: number): string => new Date(seconds * 1000).toISOString().replace('.000', '')

const list = (items: readonly string[]): string => new Intl.ListFormat('en').format(items)

const VERBS: Record<AccessRole, string> = { viewer: 'view', commenter: 'comment on', editor: 'edit' }
const NOUNS: Record<AccessRole, string> = { viewer: 'a viewer', commenter: 'a commenter', editor: 'an editor' }

/** Returns the rule as a sentence about this case. It names users by id. */
export function sentenceOf(explained: Explained): string {
  const { userId, resource, decision, chain } = explained
  const asked = label(resource)
  switch (decision.reason) {
    case 'does_not_exist':
      return missing(resource, decision.migratedTo)
    case 'disabled': {
      const disabled = chain.findLast((entry) => entry.disabled) // a disabled organization takes precedence over a disabled document
      return `Nobody has access to ${asked}: ${nameOf(disabled, resource)} is disabled.`
    }
    case 'user_disabled':
      return `User "${userId}" has no access to anything: the user is disabled.`
    case 'no_grant':
    case 'grant_expired':
      return `User "${userId}" has no access to ${asked}: ${denialCause(explained)}.`
    default: {
      const until = decision.expiresAt === undefined ? '' : ` until ${time(decision.expiresAt)}`
      return `User "${userId}" may ${VERBS[decision.accessRole ?? 'viewer']} ${asked}${until}: ${allowanceCause(explained)}.`
    }
  }
}

function missing(resource: ResourceName, migratedTo: string | undefined): string {
  const asked = label(resource)
  if (resource.type === 'organization') return `There is no ${asked}.`
  const moved = migratedTo === undefined ? '' : `: it was migrated to "${migratedTo}"`
  return `There is no ${asked} in organization "${resource.organizationId}"${moved}.`
}

/** Returns “it” for the requested resource itself. */
const nameOf = (entry: ExplainedResource | undefined, { type, id }: ResourceName): string =>
  entry === undefined || (entry.type === type && entry.id === id) ? 'it' : label(entry)

function allowanceCause({ resource, decision, chain }: Explained): string {
  const nearest = chain.find(({ grants }) => grants.some(({ live }) => live))
  const on = (entry: ExplainedResource) => `on ${nameOf(entry, resource)}`
  if (nearest === undefined)
    return `${inForce(resource, chain)}, and a user without a grant is ${NOUNS[decision.accessRole ?? 'viewer']}`
  const says = `is ${decision.accessRole}`
  if (decision.reason === 'grant')
    return decision.via?.group === undefined
      ? `the role of the user ${on(nearest)} ${says}`
      : `user group "${decision.via.group}", which the user is in, ${says} ${on(nearest)}`
  const role = `the nearest role of the user, ${on(nearest)}, ${says}`
  if (decision.reason === 'access_type') return `${inForce(resource, chain)}, and ${role}`
  const organization = chain.at(-1)
  const isMember = `the user has a grant on ${nameOf(organization, resource)}`
  return `${inForce(resource, chain)}, and ${isMember}; ${role}`
}

function denialCause({ resource, decision, chain }: Explained): string {
  const expired = chain.flatMap((entry) =>
    entry.grants.filter(({ reaches, live }) => reaches && !live).map((grant) => ({ entry, grant })),
  )
  const outside = chain.filter(({ grants }) => grants.some(({ live, reaches }) => live && !reaches))
  const isMember = chain.at(-1)?.grants.some(({ groupId, live }) => groupId === undefined && live) === true
  const expiries = expired.map(({ entry, grant: { groupId, expiresAt } }) => {
    const grant = `the grant ${groupId === undefined ? '' : `of user group "${groupId}" `}on ${nameOf(entry, resource)}`
    return expiresAt !== undefined && (groupId === undefined || isMember)
      ? `${grant} expired ${time(expiresAt)}`
      : `${grant} does not count, because the user is no longer a member of the organization`
  })
  const names = list(outside.map((entry) => nameOf(entry, resource)))
  return [
    ...(resource.type === 'organization' ? [] : [inForce(resource, chain)]),
    expired.length > 0
      ? list([...new Set(expiries)])
      : `the user has no grant ${requiredGrant(resource, decision, chain)}`,
    ...(outside.length > 1 ? [`the grants on ${names} do not apply to it`] : []),
    ...(outside.length === 1 ? [`the grant on ${names} does not apply to it`] : []),
  ].join(', and ')
}

/** Returns where a grant would give access. */
function requiredGrant(resource: ResourceName, { accessType }: Decision, chain: ExplainedResource[]): string {
  const [first] = chain
  const boundary = chain.find((entry) => entry.boundary)
  const upTo = boundary === first ? 'on it' : `on it or above it up to ${nameOf(boundary, resource)}`
  const isMembers = accessType === 'organizationPrivate' && boundary !== chain.at(-1)
  return isMembers ? `${upTo}, and none on ${nameOf(chain.at(-1), resource)}` : upTo
}

/** Returns which access type is in force and where it comes from. */
function inForce(resource: ResourceName, chain: ExplainedResource[]): string {
  const boundary = chain.find((entry) => entry.boundary)
  if (boundary?.defaultAccessType !== undefined)
    return `no access type is set on it or above it, so the default of the API key is in force, ${boundary.defaultAccessType}`
  return boundary === chain[0]
    ? `it is ${boundary?.accessType}`
    : `it follows ${nameOf(boundary, resource)}, which is ${boundary?.accessType}`
}
