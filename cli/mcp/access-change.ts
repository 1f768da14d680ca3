/** A change of access in one organization, as a simulation takes it, and the calls that make it. */
import type Type from 'typebox'
import { addGrants } from '#contract/access/grants.ts'
import { removePermissions } from '#contract/access/permissions.ts'
import { simulatePermissions } from '#contract/access/simulations.ts'
import { ClosedObject } from '#contract/core/fields.ts'
import type { DataOf, Operation } from '#contract/core/operation.ts'
import { setDocumentAccess } from '#contract/resources/documents.ts'
import { setFolderAccess } from '#contract/resources/folders.ts'
import { addUserGroupUsers, deleteUserGroupUsers } from '#contract/users/user-groups.ts'

const { pageSize: _, pageToken: __, ...lists } = simulatePermissions.data.properties

export const AccessChange = ClosedObject(lists)
export type AccessChange = Type.Static<typeof AccessChange>

export interface PlannedCall {
  operation: Operation
  data: object
}

const planned = <Op extends Operation>(operation: Op, data: DataOf<Op> & object): PlannedCall => ({ operation, data })

/**
 * Returns the calls that make a change, in the order that a simulation assumes: revocations, access types, grants, leaving
 * groups, joining groups. The calls are transactions of their own. test/matrix compares their effect with the simulation.
 */
export function callsOf(change: AccessChange): PlannedCall[] {
  const { organizationId, add = [], leave = [], join = [] } = change
  const grants = add.map(({ userId, groupId, resource, ...grant }) => ({
    ...{ userId, groupId },
    ...{ ...resource, organizationId },
    ...grant,
  }))
  return [
    ...revocationsOf(change),
    ...accessTypesOf(change),
    ...(grants.length === 0 ? [] : [planned(addGrants, { grants })]),
    ...membershipsOf(organizationId, leave, deleteUserGroupUsers),
    ...membershipsOf(organizationId, join, addUserGroupUsers),
  ]
}

function revocationsOf({ organizationId, remove = [] }: AccessChange): PlannedCall[] {
  const byPrincipal = Map.groupBy(remove, ({ userId, groupId }) => JSON.stringify([userId, groupId]))
  return [...byPrincipal.values()].map((revocations) => {
    const { userId, groupId = '' } = revocations[0] ?? {}
    const resources = revocations.map(({ resource, temporaryOnly }) => ({ ...resource, organizationId, temporaryOnly }))
    const principal = userId === undefined ? { group: { organizationId, groupId } } : { userId }
    return planned(removePermissions, { ...principal, permissions: { resources } })
  })
}

/** Of several access types for one resource the last wins, as in a simulation. */
function accessTypesOf({ organizationId, accessTypes = [] }: AccessChange): PlannedCall[] {
  const last = new Map(accessTypes.map((entry) => [JSON.stringify([entry.resource.type, entry.resource.id]), entry]))
  const alike = Map.groupBy(last.values(), ({ resource: { type }, accessType, inheritFromParent }) =>
    JSON.stringify([type, accessType, inheritFromParent]),
  )
  return [...alike.values()].map((entries) => {
    const ids = entries.map(({ resource }) => resource.id)
    const { resource: _, ...access } = entries[0] as (typeof entries)[number]
    return entries[0]?.resource.type === 'folder'
      ? planned(setFolderAccess, { organizationId, folderIds: ids, ...access })
      : planned(setDocumentAccess, { organizationId, documentIds: ids, ...access })
  })
}

const membershipsOf = (
  organizationId: string,
  memberships: NonNullable<AccessChange['join']>,
  operation: typeof addUserGroupUsers | typeof deleteUserGroupUsers,
): PlannedCall[] =>
  [...Map.groupBy(memberships, ({ groupId }) => groupId)].map(([organizationUserGroupId, members]) => {
    const userIds = members.map(({ userId }) => userId)
    return { operation, data: { organizationId, organizationUserGroupId, userIds } }
  })
