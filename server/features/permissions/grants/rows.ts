/** The rows of statements that write grants. */
import type { AccessRole, ResourceType } from '#contract/access/permissions.ts'
import type { Actor } from '#tenancy/callers/caller.ts'
import type { AccessInForce } from '#tenancy/public-access.ts'
import type { RequestRow } from '#tenancy/writes/coalesced.ts'
import type { OrganizationRow } from '#tenancy/writes/organization.ts'

/** A resource and a principal: together they identify a grant. */
export interface GrantName extends OrganizationRow {
  kind: ResourceType
  resourceId: string
  /** See `tenancy/principals.ts`. */
  principal: string
  actor: Actor
}

/** The grants that a call writes for a principal and a resource: a standing one, a temporary one, or both. */
export interface WrittenGrants {
  standingRole: AccessRole | null
  /** Null exactly if `expiresAt` is. */
  temporaryRole: AccessRole | null
  expiresAt: Date | null
  /** A grant of the kind that is not written is revoked. */
  replaces: boolean
}

export interface GrantRow extends GrantName, WrittenGrants {
  /** How long before the expiry the `permission.expiring` event is due; 0: never. */
  expiringSoonSeconds: number
  /** Refuses the request if the resource was not added. */
  knownOnly: boolean
}

/** The columns of a `GrantRow`. */
export const GRANT_COLUMNS = {
  organizationKey: 'uuid',
  createOrganization: 'boolean',
  kind: 'resource_kind',
  resourceId: 'text',
  principal: 'text',
  standingRole: 'access_role',
  temporaryRole: 'access_role',
  expiresAt: 'timestamptz',
  replaces: 'boolean',
  expiringSoonSeconds: 'int',
  knownOnly: 'boolean',
  actor: 'jsonb',
} as const

export interface GrantOutcome extends RequestRow, AccessInForce {
  ord: number
  outcome: 'ok' | 'resource_does_not_exist' | 'document_was_migrated'
  migratedTo: string | null
}
