/**
 * `organizations/usergroups/*`: named sets of the members of an organization. Grants of a group count for its users
 * (rules/access.md#groups).
 */
import Type from 'typebox'
import { BatchResult, ItemResult } from '../core/envelope.ts'
import { ClosedObject } from '../core/fields.ts'
import { Items, Name, OrderBy, OrganizationId, PAGING, UserGroupId, UserId } from '../core/ids.ts'
import { operation } from '../core/operation.ts'

export const UserGroupRecord = Type.Object({ groupId: Type.String(), groupName: Type.Optional(Type.String()) })
export type UserGroupRecord = Type.Static<typeof UserGroupRecord>

export const addUserGroups = operation({
  name: 'user-groups.add',
  path: '/v2/organizations/usergroups/add',
  credentials: 'apiKey',
  scope: 'write',
  summary: 'Add user groups',
  description: 'Adds empty groups to an organization. An id that exists already gets `code: "already-exists"`.',
  data: ClosedObject({
    organizationId: OrganizationId,
    createOrganization: Type.Optional(Type.Boolean({ default: false })),
    organizationUserGroups: Items(
      ClosedObject({ groupId: UserGroupId, groupName: Type.Optional(Name('The name of the group.')) }),
      'The same id twice: the last wins.',
    ),
  }),
  result: BatchResult,
  success: 'User groups added successfully.',
  reasons: ['organization_does_not_exist'],
  example: { organizationId: 'acme', organizationUserGroups: [{ groupId: 'design', groupName: 'Design' }] },
})

export const getUserGroups = operation({
  name: 'user-groups.get',
  path: '/v2/organizations/usergroups/get',
  credentials: 'apiKey',
  scope: 'read',
  summary: 'Get user groups',
  description:
    'Returns all user groups of an organization in id order or by name, page by page. With `organizationUserGroupIds` it returns these in the order of the request; an unknown id gets `{ id, success: false, code: "not-found" }`. To list the users of a group, call `users/get` with `organizationUserGroupIds`.',
  data: ClosedObject({
    organizationId: OrganizationId,
    organizationUserGroupIds: Type.Optional(Items(UserGroupId, 'Only these, in this order; no paging.')),
    orderBy: Type.Optional(OrderBy),
    ...PAGING,
  }),
  result: Type.Array(Type.Union([UserGroupRecord, ItemResult])),
  resultBy: 'organizationUserGroupIds',
  success: 'User groups retrieved successfully.',
  reasons: ['organization_does_not_exist'],
  example: { organizationId: 'acme' },
})

export const updateUserGroups = operation({
  name: 'user-groups.update',
  path: '/v2/organizations/usergroups/update',
  credentials: 'apiKey',
  scope: 'write',
  summary: 'Rename user groups',
  description: 'Renames groups; `null` removes the name. An unknown id gets `code: "not-found"`.',
  data: ClosedObject({
    organizationId: OrganizationId,
    organizationUserGroups: Items(
      ClosedObject({ groupId: UserGroupId, groupName: Type.Union([Name('The new name.'), Type.Null()]) }),
      'The same id twice: the last wins.',
    ),
  }),
  result: BatchResult,
  success: 'User groups updated successfully.',
  reasons: ['organization_does_not_exist'],
  example: { organizationId: 'acme', organizationUserGroups: [{ groupId: 'design', groupName: 'Product design' }] },
})

export const deleteUserGroups = operation({
  name: 'user-groups.delete',
  path: '/v2/organizations/usergroups/delete',
  credentials: 'apiKey',
  scope: 'write',
  summary: 'Delete user groups',
  description:
    'Deletes groups and revokes their grants. Their users stay members of the organization. An unknown id gets `code: "not-found"`.',
  data: ClosedObject({ organizationId: OrganizationId, organizationUserGroupIds: Items(UserGroupId, 'The groups.') }),
  result: BatchResult,
  success: 'User groups deleted successfully.',
  reasons: ['organization_does_not_exist'],
  example: { organizationId: 'acme', organizationUserGroupIds: ['design'] },
})

/** The result for one user, like every result of a batch, with the group instead of `id`. */
export const UserGroupUserResult = ClosedObject({
  success: Type.Boolean(),
  organizationUserGroupId: Type.String(),
  message: Type.String(),
  code: Type.Optional(Type.Enum(['not-found'], { description: 'Why the item failed.' })),
  retryable: Type.Optional(
    Type.Boolean({ description: 'Present on failures: whether the same item may succeed later.' }),
  ),
})
export type UserGroupUserResult = Type.Static<typeof UserGroupUserResult>

const UserGroupUserResults = Type.Record(Type.String(), UserGroupUserResult, {
  description: 'One result for each user id of the call, under that id.',
})

export const addUserGroupUsers = operation({
  name: 'user-group-users.add',
  path: '/v2/organizations/usergroups/users/add',
  credentials: 'apiKey',
  scope: 'write',
  summary: 'Add users to a user group',
  description:
    'Adds members of the organization (users with a live grant on it) to a group; others get `code: "not-found"`. Adding a user who is in the group already succeeds. A user whose grant on the organization expires or is revoked is out of the group until a grant is added again; `users/delete` removes the user from the group permanently.',
  data: ClosedObject({
    organizationId: OrganizationId,
    organizationUserGroupId: UserGroupId,
    userIds: Items(UserId, 'The users.'),
  }),
  result: UserGroupUserResults,
  success: 'Users added to the user group successfully.',
  warns: true,
  reasons: ['organization_does_not_exist', 'user_group_does_not_exist'],
  example: { organizationId: 'acme', organizationUserGroupId: 'design', userIds: ['ada'] },
})

export const deleteUserGroupUsers = operation({
  name: 'user-group-users.delete',
  path: '/v2/organizations/usergroups/users/delete',
  credentials: 'apiKey',
  scope: 'write',
  summary: 'Remove users from a user group',
  description:
    'Removes the named users from a group; a user who is not in it gets `code: "not-found"`. With `deleteAll: true` instead of `userIds` it removes all users, however many there are, and `data` is empty.',
  data: ClosedObject(
    {
      organizationId: OrganizationId,
      organizationUserGroupId: UserGroupId,
      userIds: Type.Optional(Items(UserId, 'The users.')),
      deleteAll: Type.Optional(Type.Boolean({ description: 'Not together with `userIds`.', default: false })),
    },
    { narrowing: ['userIds'] },
  ),
  result: UserGroupUserResults,
  success: 'Users removed from the user group successfully.',
  reasons: ['organization_does_not_exist', 'user_group_does_not_exist'],
  example: { organizationId: 'acme', organizationUserGroupId: 'design', userIds: ['ada'] },
})

export const USER_GROUP_OPERATIONS = [
  addUserGroups,
  getUserGroups,
  updateUserGroups,
  deleteUserGroups,
  addUserGroupUsers,
  deleteUserGroupUsers,
]
