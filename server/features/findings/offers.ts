/**
 * Offers to give grants as a part of the fix of a finding, as far as they lower nobody: a grant replaces one of its kind
 * on the same resource, and takes precedence over all above it (rules/access.md#role).
 */
import type { Finding } from '#contract/access/findings.ts'
import { type AccessRole, isStronger, type ResourceName } from '#contract/access/permissions.ts'
import { type DecisionRow, decideResources } from '#features/permissions/shared.ts'
import type { Db } from '#platform/db/db.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { owningOrganization } from '#tenancy/callers/keys.ts'

/** A grant as calls give it. Without `expiresAt`, in Unix seconds, it is standing. */
export interface GivenGrant {
  accessRole: AccessRole
  expiresAt?: number
}

/** Grants that the fix of a finding would give to its user, before its other calls. */
export interface Offer {
  userId: string
  resource: ResourceName
  grants: readonly GivenGrant[]
}

/** A finding before it is known which part of its offer is offered. */
export type Draft = Finding & { offer?: Offer }

export const granting = ({ userId, resource }: Omit<Offer, 'grants'>, grants: readonly object[]) => ({
  operation: 'permissions.add',
  data: { user: { userId }, permissions: { resources: grants.map((one) => ({ ...resource, ...one })) } },
})

/** Returns the findings with the calls that would give the grants of their offers, except those that would lower the user. */
export async function withOffers(
  db: Db,
  caller: Pick<Caller, 'apiKeyId' | 'defaultAccessType' | 'defaultAccessRole'>,
  drafts: readonly Draft[],
): Promise<Finding[]> {
  const offers = drafts.flatMap(({ offer }) => offer ?? [])
  const decisions = (await decideResources(db, caller, offers)).values()
  /** All fixes of a list may be made one after the other. */
  const offered = new Map<string, GivenGrant[]>()
  return drafts.map(({ offer, ...finding }) => {
    if (offer === undefined) return finding
    const decision = decisions.next().value as DecisionRow
    const { userId, resource } = offer
    const place = JSON.stringify([userId, resource.type, resource.id, owningOrganization(resource)])
    const earlier = offered.get(place) ?? []
    const grants = offer.grants.filter((grant) => adds(grant, decision) && !earlier.some((one) => spoils(grant, one)))
    offered.set(place, [...earlier, ...grants])
    return grants.length === 0 ? finding : { ...finding, calls: [granting(offer, grants), ...finding.calls] }
  })
}

/** Returns whether a grant on the resource of a decision would add to the access of the user, and lower it at no time. */
function adds({ accessRole, expiresAt: until = Infinity }: GivenGrant, decision: DecisionRow): boolean {
  const { allowed, reason, accessRole: role, inherited } = decision
  // Access to a disabled resource is not decided.
  if (!allowed) return reason !== 'disabled' && reason !== 'user_disabled'
  if (role === null || isStronger(role, accessRole)) return false
  const expiresAt = decision.expiresAt ?? Infinity
  // A stronger grant farther above counts after that.
  if (until > expiresAt && expiresAt !== Infinity && isStronger('editor', accessRole)) return false
  // The access type may change.
  if (accessRole === role) return until > expiresAt || reason === 'access_type'
  // One that expires earlier leaves those above as they were, but replaces one on the resource itself.
  return reason !== 'grant' || inherited === true || until >= expiresAt || expiresAt === Infinity
}

/** Returns whether a grant would replace another one on the same resource that is not weaker, or does not expire earlier. */
const spoils = (grant: GivenGrant, other: GivenGrant): boolean =>
  (grant.expiresAt === undefined) === (other.expiresAt === undefined) &&
  !(isStronger(grant.accessRole, other.accessRole) && (grant.expiresAt ?? 0) >= (other.expiresAt ?? 0))
