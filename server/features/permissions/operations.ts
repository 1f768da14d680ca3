/** Grants and revokes roles (rules/access.md#granting). */

import type { OrganizationKey } from '#contract/ids.ts'
import type { DataOf } from '#contract/operation.ts'
import type { AccessRole, addPermissions, ResourceName, removePermissions } from '#contract/permissions.ts'
import type { Db, Session } from '#platform/db/db.ts'
import { invalidArgument } from '#platform/status-error.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { organizationKey, owningOrganization } from '#tenancy/callers/keys.ts'
import { named } from '#tenancy/callers/resource-names.ts'
import { organizationWrites } from '#tenancy/writes/coalesced.ts'
import { lockOrganizations } from '#tenancy/writes/organization.ts'
import type { GrantName, GrantOutcome, GrantRow } from './grant-ctes.ts'
import { type MergedGrant, mergedGrants, type NamedResource, writtenGrants } from './merged-grants.ts'
import { ADD_PERMISSIONS, REMOVE_PERMISSIONS } from './statements.ts'

/** A grant from a call that is repeated at every sign-in: `generate_token` or `users/add` (rules/access.md#sign-in-grants). */
export interface SignInGrant {
  userId: string
  resource: ResourceName
  accessRole?: AccessRole | undefined
  expiresAt?: number | undefined
  replaceExisting?: boolean | undefined
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
      const grants = permissions.resources.map((resource) => ({ userId: user.userId, ...resource }))
      const merged = mergedGrants(grants, 'permissions.resources')
      const rows = merged.map((grant) => grantRow(caller, grant))
      throwIfRefused(await additions.run(rows, caller.apiKeyId), merged)
    },

    async remove(caller: Caller, data: DataOf<typeof removePermissions>): Promise<void> {
      const userId = data.userId ?? data.user?.userId
      if (userId === undefined) throw invalidArgument([{ field: 'userId', message: 'userId is required' }])
      if (data.user !== undefined && data.user.userId !== userId)
        throw invalidArgument([
          { field: 'user.userId', message: 'user.userId must be equal to userId when both are given' },
        ])
      const resources = named(data.permissions.resources, 'permissions.resources')
      await removals.run(
        resources.map(({ resource }) => ({
          ...grantName(caller, userId, resource, false),
          temporaryOnly: resource.temporaryOnly ?? false,
        })),
        caller.apiKeyId,
      )
    },

    coalescers: [additions, removals],
  }
}

/** Writes grants in the given transaction, all or nothing. Of each user and resource, each kind of grant may appear only once. */
export async function grantAtSignIn(session: Session, caller: Caller, grants: readonly SignInGrant[]): Promise<void> {
  if (grants.length === 0) return
  const rows: (GrantRow & { req: number })[] = grants.map((grant) => {
    const isOrganization = grant.resource.type === 'organization'
    return {
      req: 0,
      ...grantName(caller, grant.userId, grant.resource, !caller.requireKnownResources || grant.createOrganization),
      ...writtenGrants(grant),
      expiringSoonSeconds: caller.expiringSoonSeconds,
      keep: grant.accessRole === undefined,
      knownOnly: caller.requireKnownResources && !(isOrganization ? grant.createOrganization : grant.createResource),
      createResource: grant.createResource,
    }
  })
  throwIfRefused(await session.runSet(ADD_PERMISSIONS, await lockOrganizations(session, rows)), grants)
}

/** Returns the row of the grants of one user on one resource. */
export const grantRow = (
  caller: Caller,
  { userId, resource, written }: MergedGrant,
  keyOf?: (organizationId: string) => OrganizationKey,
): GrantRow => ({
  ...grantName(caller, userId, resource, !caller.requireKnownResources, keyOf),
  ...written,
  expiringSoonSeconds: caller.expiringSoonSeconds,
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
