/** Commands for user groups and their members. */

import type { DataOf } from '#contract/core/operation.ts'
import {
  addUserGroups,
  addUserGroupUsers,
  deleteUserGroups,
  deleteUserGroupUsers,
  getUserGroups,
  updateUserGroups,
} from '#contract/users/user-groups.ts'
import type { Parameter } from '../../command-parameters.ts'
import type { Connection } from '../../connection/connection.ts'
import type { OperationCommand } from '../../operation-command.ts'
import { type Existing, items, table } from '../../terminal/output.ts'
import { column } from '../../terminal/table.ts'
import { givenByGroup } from '../access/group-grants.ts'
import { CREATE_ORG, ORG } from '../parameters.ts'
import { AS_BEFORE, existingAmong, foundBy, unchangedAmong } from './existing.ts'
import { USERS } from './users.ts'

const GROUP: Parameter = { flags: '<group>', at: 'organizationUserGroupId' }
const GROUP_ROW: Parameter = { flags: '<group>', at: 'organizationUserGroups[0].groupId' }

async function members(connection: Connection, data: DataOf<typeof addUserGroupUsers>): Promise<Existing> {
  const { organizationId, organizationUserGroupId, userIds } = data
  const of = { organizationId, organizationUserGroupIds: [organizationUserGroupId], userIds }
  const found = await foundBy(() => connection.forKey().users.get(of))
  return { unchanged: new Set((found ?? []).flatMap((user) => ('userId' in user ? [String(user.userId)] : []))) }
}

/** Returns the groups as a call gives them, and as they are stored. */
async function compared(connection: Connection, data: DataOf<typeof addUserGroups> | DataOf<typeof updateUserGroups>) {
  const given = data.organizationUserGroups.map(({ groupId: id, ...fields }) => ({ id, ...fields }))
  const naming = { organizationId: data.organizationId, organizationUserGroupIds: given.map(({ id }) => id) }
  const found = await foundBy(() => connection.forKey().userGroups.get(naming))
  return [given, (found ?? []).map((group) => ('groupId' in group ? { id: group.groupId, ...group } : group))] as const
}

export const USER_GROUP_COMMANDS: readonly OperationCommand[] = [
  {
    name: 'group list',
    operation: getUserGroups,
    parameters: [ORG],
    show: table([column('GROUP', 'groupId'), column('NAME', 'groupName')]),
    examples: ['commonhold group list --org acme'],
  },
  {
    name: 'group add',
    operation: addUserGroups,
    summary: 'Add a user group',
    parameters: [GROUP_ROW, ORG, { flags: '--name <name>', at: 'organizationUserGroups[0].groupName' }, CREATE_ORG],
    existing: async (connection, data: DataOf<typeof addUserGroups>) =>
      existingAmong(...(await compared(connection, data))),
    show: items,
    examples: ['commonhold group add design --org acme --name Design'],
  },
  {
    name: 'group rename',
    operation: updateUserGroups,
    summary: 'Rename a user group',
    parameters: [GROUP_ROW, { flags: '<name>', at: 'organizationUserGroups[0].groupName' }, ORG],
    existing: async (connection, data: DataOf<typeof updateUserGroups>) =>
      unchangedAmong(...(await compared(connection, data))),
    unchangedSays: AS_BEFORE,
    show: items,
    examples: ['commonhold group rename design "Product design" --org acme'],
  },
  {
    name: 'group delete',
    operation: deleteUserGroups,
    parameters: [{ flags: '<group...>', at: 'organizationUserGroupIds' }, ORG],
    confirm: ({ organizationUserGroupIds }: { organizationUserGroupIds: string[] }) =>
      `Delete ${organizationUserGroupIds.join(', ')}?`,
    show: items,
    examples: ['commonhold group delete design --org acme'],
  },
  {
    name: 'group join',
    operation: addUserGroupUsers,
    parameters: [GROUP, USERS, ORG],
    existing: members,
    outcome: (connection, { organizationId, organizationUserGroupId }: DataOf<typeof addUserGroupUsers>) =>
      givenByGroup(connection, { organizationId, groupId: organizationUserGroupId }),
    show: items,
    examples: ['commonhold group join design ada grace --org acme'],
  },
  {
    name: 'group leave',
    operation: deleteUserGroupUsers,
    parameters: [GROUP, USERS, ORG],
    show: items,
    examples: ['commonhold group leave design ada --org acme'],
  },
]
