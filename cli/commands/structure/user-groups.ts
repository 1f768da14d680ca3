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
import { existingAmong, foundBy } from './existing.ts'
import { USERS } from './users.ts'

const GROUP: Parameter = { flags: '<group>', at: 'organizationUserGroupId' }
const GROUP_ROW: Parameter = { flags: '<group>', at: 'organizationUserGroups[0].groupId' }

async function members(connection: Connection, data: DataOf<typeof addUserGroupUsers>): Promise<Existing> {
  const { organizationId, organizationUserGroupId, userIds } = data
  const of = { organizationId, organizationUserGroupIds: [organizationUserGroupId], userIds }
  const found = await foundBy(() => connection.forKey().users.get(of))
  return { unchanged: new Set((found ?? []).flatMap((user) => ('userId' in user ? [String(user.userId)] : []))) }
}

async function existing(connection: Connection, data: DataOf<typeof addUserGroups>): Promise<Existing> {
  const { organizationId, organizationUserGroups } = data
  const organizationUserGroupIds = organizationUserGroups.map(({ groupId }) => groupId)
  const found = await foundBy(() => connection.forKey().userGroups.get({ organizationId, organizationUserGroupIds }))
  return existingAmong(
    organizationUserGroups.map(({ groupId: id, ...fields }) => ({ id, ...fields })),
    (found ?? []).map((group) => ('groupId' in group ? { id: group.groupId, ...group } : group)),
  )
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
    existing,
    show: items,
    examples: ['commonhold group add design --org acme --name Design'],
  },
  {
    name: 'group rename',
    operation: updateUserGroups,
    summary: 'Rename a user group',
    parameters: [GROUP_ROW, { flags: '<name>', at: 'organizationUserGroups[0].groupName' }, ORG],
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
