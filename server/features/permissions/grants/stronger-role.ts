/** Finds out whether a grant would lower a role (rules/resources.md#invitations). */
import { type AccessRole, isStronger, type ResourceName } from '#contract/access/permissions.ts'
import type { Session } from '#platform/db/db.ts'
import { statement } from '#platform/db/statement.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { organizationKey, owningOrganization } from '#tenancy/callers/keys.ts'
import { DECIDE } from '../decision/statement.ts'

/** Returns the role of the standing grant of user `$4` on a resource. */
export const GET_STANDING_ROLE = statement<{ role: AccessRole | null }>(
  'permissions.get-standing-role',
  /* sql */ `
  select g.standing_role as role from grants g
   where g.organization_key = $1 and g.principal = $4 and g.kind = $2::resource_kind
     and g.resource_key = (select resource_key from resources
                            where organization_key = $1 and kind = $2::resource_kind and id = $3)`,
)

/**
 * Returns the stronger role that a user would lose by a standing grant of `role` on a resource; undefined if there is
 * none. The grant would replace a stronger standing grant on the resource, and take precedence over one further up. It
 * does not affect other grants on the resource, the user's or a group's, because the strongest grant counts. Runs under
 * the lock of the organization.
 */
export async function narrowedRole(
  session: Session,
  caller: Pick<Caller, 'apiKeyId' | 'defaultAccessType'>,
  { userId, resource }: { userId: string; resource: ResourceName },
  role: AccessRole,
): Promise<AccessRole | undefined> {
  if (role === 'editor') return undefined
  const key = organizationKey(caller, owningOrganization(resource))
  const named = { organizationKey: key, kind: resource.type, resourceId: resource.id }
  const [own] = await session.run(GET_STANDING_ROLE, [key, resource.type, resource.id, userId])
  if (own?.role && isStronger(own.role, role)) return own.role
  // Whoever has more than that here has it by grants: an access type alone makes a viewer in this question.
  const { defaultAccessType } = caller
  const question = { ...named, userId, defaultAccessType, defaultAccessRole: 'viewer' as const, atLeast: null, req: 0 }
  const [decision] = await session.runSet(DECIDE, [question])
  const isOnResource = decision?.reason === 'grant' && decision.inherited === false
  const held = decision?.accessRole ?? 'viewer'
  return isStronger(held, role) && !isOnResource ? held : undefined
}
