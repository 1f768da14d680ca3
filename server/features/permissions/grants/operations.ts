/** Grants and revokes roles (rules/access.md#granting). */
import type { addPermissions, GroupName, ResourceName, removePermissions } from '#contract/access/permissions.ts'
import type { OrganizationKey } from '#contract/core/ids.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { DataOf } from '#contract/core/operation.ts'
import type { Db, Session } from '#platform/db/db.ts'
import { invalidArgument } from '#platform/status-error.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { named, organizationKey, organizationKeys, owningOrganization } from '#tenancy/callers/keys.ts'
import { requireUserGroup } from '#tenancy/existence.ts'
import { type AccessInForce, type Found, publicWarnings } from '#tenancy/public-access.ts'
import { organizationDoesNotExist } from '#tenancy/refusals.ts'
import { organizationWrites, type RequestRow } from '#tenancy/writes/coalesced.ts'
import { type GivenRoles, holdCommenter } from '#tenancy/writes/commenter.ts'
import { changeOrganizations, lockOrganization } from '#tenancy/writes/organization.ts'
import { ADD_PERMISSIONS } from './add-statements.ts'
import { markHolders } from './group-holders.ts'
import { type MergedGrant, mergedGrants, type NamedResource } from './merged.ts'
import { principalOf } from './principals.ts'
import type { GrantName, GrantOutcome, GrantRow } from './rows.ts'
import { REMOVE_PERMISSIONS } from './statements.ts'

export function createPermissions(db: Db) {
  const additions = organizationWrites(db, ADD_PERMISSIONS, { idempotent: true })
  const removals = organizationWrites(db, REMOVE_PERMISSIONS, { idempotent: true })
  return {
    async add(caller: Caller, { user, group, permissions }: DataOf<typeof addPermissions>): Promise<Warned> {
      const principal = principalOf({ userId: user?.userId, groupId: group?.groupId }, { user: 'user', group: 'group' })
      const grants = within(group, permissions.resources).map((resource) => ({ principal, ...resource }))
      const merged = mergedGrants(grants, 'permissions.resources')
      if (merged.length === 0) return {}
      const keyOf = organizationKeys(caller)
      const rows = merged.map((grant) => grantRow(caller, grant, keyOf))
      if (group === undefined) return warned(caller, await additions.run(rows, caller.apiKeyId), merged)
      return changeGrantsOfGroup(caller, group, merged, rows, async (session, organizationKey) => {
        await markHolders(session, [{ organizationKey, groupId: group.groupId, field: 'group.groupId' }])
        return warned(caller, await session.runSet(ADD_PERMISSIONS, inOneRequest(rows)), merged)
      })
    },

    async remove(caller: Caller, data: DataOf<typeof removePermissions>): Promise<void> {
      const { group, user, userId = user?.userId } = data
      const principal = principalOf({ userId, groupId: group?.groupId }, { user: 'userId', group: 'group' })
      if (user !== undefined && user.userId !== userId)
        throw invalidArgument([
          { field: 'user.userId', message: 'user.userId must be equal to userId when both are given' },
        ])
      const resources = named(within(group, data.permissions.resources), 'permissions.resources')
      if (resources.length === 0) return
      const rows = resources.map(({ resource }) => ({
        ...grantName(caller, principal, resource, false),
        temporaryOnly: resource.temporaryOnly ?? false,
      }))
      if (group === undefined) await removals.run(rows, caller.apiKeyId)
      else
        await changeGrantsOfGroup(caller, group, resources, [], async (session, key) => {
          await requireUserGroup(session, key, group.groupId, 'group.groupId')
          await session.runSet(REMOVE_PERMISSIONS, inOneRequest(rows))
        })
    },

    coalescers: [additions, removals],
  }

  /** Changes grants of a group on resources, all in its organization, under the lock of that organization. */
  function changeGrantsOfGroup<Result>(
    caller: Caller,
    { organizationId }: GroupName,
    resources: readonly NamedResource[],
    given: readonly GivenRoles[],
    change: (session: Session, key: OrganizationKey) => Promise<Result>,
  ): Promise<Result> {
    const faults = resources
      .filter(({ resource }) => owningOrganization(resource) !== organizationId)
      .map(({ resource: { type }, field }) => ({
        field: type === 'organization' ? `${field}.id` : `${field}.organizationId`,
        message: `${field} must be in the organization of the group, "${organizationId}"`,
      }))
    if (faults.length > 0) throw invalidArgument(faults.slice(0, LIMITS.faultsMax))
    const key = organizationKey(caller, organizationId)
    return changeOrganizations(db, caller, [key], async (session) => {
      await holdCommenter(session, given)
      if (!(await lockOrganization(session, key))) throw organizationDoesNotExist()
      return change(session, key)
    })
  }
}

/** Returns the resources of a call; if it grants to a group, they may omit the organization. */
const within = <R extends ResourceName>(group: GroupName | undefined, resources: readonly R[]): readonly R[] =>
  group === undefined ? resources : resources.map((resource) => ({ organizationId: group.organizationId, ...resource }))

const inOneRequest = <Row>(rows: readonly Row[]): (Row & RequestRow)[] => rows.map((row) => ({ ...row, req: 0 }))

/** Returns the row of the grants of one principal on one resource. */
export const grantRow = (
  caller: Caller,
  { principal, resource, written }: MergedGrant,
  keyOf?: (organizationId: string) => OrganizationKey,
): GrantRow => ({
  ...grantName(caller, principal, resource, !caller.requireKnownResources, keyOf),
  ...written,
  expiringSoonSeconds: caller.expiringSoonSeconds,
  knownOnly: caller.requireKnownResources,
})

export function grantName(
  caller: Caller,
  principal: string,
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
    principal,
    actor: caller.actor,
  }
}

type Warned = ReturnType<typeof publicWarnings>

/** Throws one error for all refused rows, if any; otherwise returns the warnings about public resources. */
function warned(caller: Caller, outcomes: readonly GrantOutcome[], named: readonly NamedResource[]): Warned {
  throwIfRefused(outcomes, named)
  return publicWarnings(caller, foundIn(outcomes, named))
}

/** Returns the resources of a call with the access types in force; `named` lists them in the order of `outcomes`. */
export const foundIn = (
  outcomes: readonly AccessInForce[],
  named: readonly Pick<NamedResource, 'resource'>[],
): Found[] =>
  outcomes.flatMap((outcome, index) => {
    const resource = named[index]?.resource
    return resource === undefined ? [] : [{ ...outcome, resource }]
  })

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
