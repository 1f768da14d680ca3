/** Grants and revokes roles (rules/access.md#granting). */

import type { OrganizationKey } from '#contract/ids.ts'
import type { DataOf } from '#contract/operation.ts'
import type {
  AccessRole,
  addPermissions,
  GrantedResource,
  ResourceName,
  removePermissions,
} from '#contract/permissions.ts'
import type { Db, Session } from '#platform/db/db.ts'
import { invalidArgument } from '#platform/status-error.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { organizationKey, owningOrganization } from '#tenancy/callers/keys.ts'
import { uniqueResources } from '#tenancy/callers/resource-names.ts'
import { organizationWrites } from '#tenancy/writes/coalesced.ts'
import { lockOrganizations } from '#tenancy/writes/organization.ts'
import type { GrantName, GrantOutcome, GrantRow } from './grant-ctes.ts'
import { ADD_PERMISSIONS, REMOVE_PERMISSIONS } from './statements.ts'

/** A grant from a call that is repeated at every sign-in: `generate_token` or `users/add` (rules/access.md#sign-in-grants). */
export interface SignInGrant {
  userId: string
  resource: ResourceName
  accessRole: AccessRole | undefined
  expiresAt: number | undefined
  createOrganization: boolean
  createResource: boolean
  /** The request field that names the resource, for error messages. */
  field: string
}

export type Permissions = ReturnType<typeof createPermissions>

export function createPermissions(db: Db) {
  const additions = organizationWrites(db, ADD_PERMISSIONS, { idempotent: true })
  const removals = organizationWrites(db, REMOVE_PERMISSIONS, { idempotent: true })
  return {
    async add(caller: Caller, { user, permissions }: DataOf<typeof addPermissions>): Promise<void> {
      const resources = uniqueResources(permissions.resources)
      const rows = resources.map(({ resource }) => grantRow(caller, user.userId, resource))
      throwIfRefused(await additions.run(rows, caller.apiKeyId), resources)
    },

    async remove(caller: Caller, data: DataOf<typeof removePermissions>): Promise<void> {
      const userId = data.userId ?? data.user?.userId
      if (userId === undefined) throw invalidArgument([{ field: 'userId', message: 'userId is required' }])
      if (data.user !== undefined && data.user.userId !== userId)
        throw invalidArgument([
          { field: 'user.userId', message: 'user.userId must be equal to userId when both are given' },
        ])
      const resources = uniqueResources(data.permissions.resources)
      await removals.run(
        resources.map(({ resource }) => grantName(caller, userId, resource, false)),
        caller.apiKeyId,
      )
    },

    coalescers: [additions, removals],
  }
}

/** Writes grants in the given transaction, all or nothing. Each pair of user and resource may appear only once. */
export async function grantAtSignIn(session: Session, caller: Caller, grants: readonly SignInGrant[]): Promise<void> {
  if (grants.length === 0) return
  const rows: (GrantRow & { req: number })[] = grants.map((grant) => {
    const isOrganization = grant.resource.type === 'organization'
    return {
      req: 0,
      ...grantName(caller, grant.userId, grant.resource, !caller.requireKnownResources || grant.createOrganization),
      role: grant.accessRole ?? null,
      ...expiryColumns(caller, grant.expiresAt),
      keep: true,
      knownOnly: caller.requireKnownResources && !(isOrganization ? grant.createOrganization : grant.createResource),
      createResource: grant.createResource,
    }
  })
  throwIfRefused(await session.runSet(ADD_PERMISSIONS, await lockOrganizations(session, rows)), grants)
}

/** Returns the row of a grant that replaces role and expiry. */
export const grantRow = (
  caller: Caller,
  userId: string,
  resource: GrantedResource,
  keyOf?: (organizationId: string) => OrganizationKey,
): GrantRow => ({
  ...grantName(caller, userId, resource, !caller.requireKnownResources, keyOf),
  role: resource.accessRole ?? 'editor',
  ...expiryColumns(caller, resource.expiresAt),
  keep: false,
  knownOnly: caller.requireKnownResources,
  createResource: false,
})

function grantName(
  caller: Caller,
  userId: string,
  resource: ResourceName,
  createOrganization: boolean,
  keyOf = (organizationId: string) => organizationKey(caller, organizationId),
): GrantName {
  const organizationId = owningOrganization(resource)
  return {
    organizationKey: keyOf(organizationId),
    apiKeyId: caller.apiKeyId,
    organizationId,
    createOrganization,
    kind: resource.type,
    resourceId: resource.id,
    userId,
    actor: caller.actor,
  }
}

const expiryColumns = ({ expiringSoonSeconds }: Caller, expiresAt: number | undefined) => ({
  expiresAt: fromUnixSeconds(expiresAt),
  expiringAt:
    expiresAt === undefined || expiringSoonSeconds === 0 ? null : fromUnixSeconds(expiresAt - expiringSoonSeconds),
})

export const fromUnixSeconds = (seconds: number | undefined): Date | null =>
  seconds === undefined ? null : new Date(seconds * 1000)

/** A resource named in a request, and the field that names it. */
export interface NamedResource {
  resource: ResourceName
  field: string
  /** Why the resource must exist, if not because of the key's `requireKnownResources`. */
  because?: string
}

/** Throws one error for all refused rows, if any. `named` lists the resources in the order of `outcomes`. */
export function throwIfRefused(
  outcomes: readonly Pick<GrantOutcome, 'outcome' | 'migratedTo'>[],
  named: readonly NamedResource[],
): void {
  const refused = outcomes.flatMap(({ outcome, migratedTo }, index) => {
    const target = named[index]
    if (outcome === 'ok' || target === undefined) return []
    const { resource, field, because = 'the API key has requireKnownResources' } = target
    const message =
      outcome === 'document_was_migrated'
        ? `${field} names document "${resource.id}", which was migrated to "${migratedTo}"; use the new id`
        : `${field}: the ${resource.type} "${resource.id}" does not exist, and ${because}`
    return [{ field, message, reason: outcome, ...(migratedTo === null ? {} : { migratedTo }) }]
  })
  const [first] = refused
  if (first !== undefined) throw invalidArgument(refused, first.reason)
}
