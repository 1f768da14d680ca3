/** Granting roles and taking them away (rules/access.md#granting). */

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
import { ADD_PERMISSIONS, type GrantName, type GrantOutcome, type GrantRow, REMOVE_PERMISSIONS } from './statements.ts'

/** A grant of a call that is repeated at every sign-in (`generate_token`, `users/add`); see rules/access.md#sign-in-grants. */
export interface SignInGrant {
  userId: string
  resource: ResourceName
  accessRole: AccessRole | undefined
  expiresAt: number | undefined
  createOrganization: boolean
  createResource: boolean
  /** How the caller wrote the resource, for the message of a refusal. */
  field: string
}

export type Permissions = ReturnType<typeof createPermissions>

export function createPermissions(db: Db) {
  const adding = organizationWrites(db, ADD_PERMISSIONS, { idempotent: true })
  const removing = organizationWrites(db, REMOVE_PERMISSIONS, { idempotent: true })
  return {
    async add(caller: Caller, { user, permissions }: DataOf<typeof addPermissions>): Promise<void> {
      const resources = uniqueResources(permissions.resources)
      const rows = resources.map(({ resource }) => grantRow(caller, user.userId, resource))
      refuse(await adding.run(rows), resources)
    },

    async remove(caller: Caller, data: DataOf<typeof removePermissions>): Promise<void> {
      const userId = data.userId ?? data.user?.userId
      if (userId === undefined) throw invalidArgument([{ field: 'userId', message: 'userId is required' }])
      if (data.user !== undefined && data.user.userId !== userId)
        throw invalidArgument([
          { field: 'user.userId', message: 'user.userId must be equal to userId when both are given' },
        ])
      const resources = uniqueResources(data.permissions.resources)
      await removing.run(resources.map(({ resource }) => grantName(caller, userId, resource, false)))
    },

    coalescers: [adding, removing],
  }
}

/** Writes grants in a transaction of the caller's, all or nothing. A pair of user and resource may appear once. */
export async function grantAtSignIn(session: Session, caller: Caller, grants: readonly SignInGrant[]): Promise<void> {
  if (grants.length === 0) return
  const rows: (GrantRow & { req: number })[] = grants.map((grant) => {
    const isOrganization = grant.resource.type === 'organization'
    return {
      req: 0,
      ...grantName(caller, grant.userId, grant.resource, !caller.requireKnownResources || grant.createOrganization),
      role: grant.accessRole ?? null,
      ...endOf(caller, grant.expiresAt),
      keep: true,
      knownOnly: caller.requireKnownResources && !(isOrganization ? grant.createOrganization : grant.createResource),
      createResource: grant.createResource,
    }
  })
  refuse(await session.runSet(ADD_PERMISSIONS, await lockOrganizations(session, rows)), grants)
}

/** A grant as it was written: it replaces role and expiry. */
export const grantRow = (
  caller: Caller,
  userId: string,
  resource: GrantedResource,
  keyOf?: (organizationId: string) => OrganizationKey,
): GrantRow => ({
  ...grantName(caller, userId, resource, !caller.requireKnownResources, keyOf),
  role: resource.accessRole ?? 'editor',
  ...endOf(caller, resource.expiresAt),
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

const endOf = ({ expiringSoonSeconds }: Caller, expiresAt: number | undefined) => ({
  expiresAt: fromUnixSeconds(expiresAt),
  expiringAt:
    expiresAt === undefined || expiringSoonSeconds === 0 ? null : fromUnixSeconds(expiresAt - expiringSoonSeconds),
})

export const fromUnixSeconds = (seconds: number | undefined): Date | null =>
  seconds === undefined ? null : new Date(seconds * 1000)

/** A resource as a call names it, and where. */
export interface Asked {
  resource: ResourceName
  field: string
  /** Why it must be known, where that is not for the setting of the key. */
  because?: string
}

/** Turns refused rows into the one error of the call; `asked` is in the order of the rows. */
export function refuse(
  outcomes: readonly Pick<GrantOutcome, 'outcome' | 'migratedTo'>[],
  asked: readonly Asked[],
): void {
  const refused = outcomes.flatMap(({ outcome, migratedTo }, index) => {
    const named = asked[index]
    if (outcome === 'ok' || named === undefined) return []
    const { resource, field, because = 'the API key has requireKnownResources' } = named
    const message =
      outcome === 'document_was_migrated'
        ? `${field} names document "${resource.id}", which was migrated to "${migratedTo}"; name that id`
        : `${field}: the ${resource.type} "${resource.id}" does not exist, and ${because}`
    return [{ field, message, reason: outcome, ...(migratedTo === null ? {} : { migratedTo }) }]
  })
  const [first] = refused
  if (first !== undefined) throw invalidArgument(refused, first.reason)
}
