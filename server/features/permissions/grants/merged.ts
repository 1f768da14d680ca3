/** The grants that a call writes for each principal and resource that it names (rules/access.md#granting). */
import type { AccessRole, GrantedResource, ResourceName } from '#contract/access/permissions.ts'
import { named } from '#tenancy/callers/keys.ts'
import type { WrittenGrants } from './rows.ts'

/** A resource named in a request, and the field that names it. */
export interface NamedResource {
  resource: ResourceName
  field: string
  /** Why the resource must exist, if not because of the key's `requireKnownResources`. */
  because?: string
}

export interface MergedGrant extends NamedResource {
  principal: string
  written: WrittenGrants
}

interface GivenGrant {
  accessRole?: AccessRole | undefined
  expiresAt?: number | undefined
  replaceExisting?: boolean | undefined
}

/** Returns the grant that one entry of a call writes; an absent role is `editor`. */
export const writtenGrants = ({
  accessRole = 'editor',
  expiresAt,
  replaceExisting = false,
}: GivenGrant): WrittenGrants => ({
  standingRole: expiresAt === undefined ? accessRole : null,
  temporaryRole: expiresAt === undefined ? null : accessRole,
  expiresAt: expiresAt === undefined ? null : new Date(expiresAt * 1000),
  replaces: replaceExisting,
})

/** Checks the fields of each grant and returns one entry for each principal and resource: what its grants write in their order. */
export function mergedGrants(
  grants: readonly (GrantedResource & { principal: string })[],
  list: string,
): MergedGrant[] {
  const merged = new Map<string, MergedGrant>()
  for (const { name, resource, field } of named(grants, list, ({ principal }) => principal)) {
    const { principal } = resource
    const written = after(merged.get(name)?.written, writtenGrants(resource))
    merged.set(name, { principal, resource, field, written })
  }
  return [...merged.values()]
}

function after(earlier: WrittenGrants | undefined, written: WrittenGrants): WrittenGrants {
  if (earlier === undefined || written.replaces) return written
  const { standingRole, replaces } = earlier
  const { temporaryRole, expiresAt } = written.temporaryRole === null ? earlier : written
  return { standingRole: written.standingRole ?? standingRole, temporaryRole, expiresAt, replaces }
}
