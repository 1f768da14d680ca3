/** `organizations/usergroups/*`: named sets of the members of an organization. A group holds no grants; it selects users. */
import Type from 'typebox'
import { BatchResult, ItemResult } from './envelope.ts'
import { Items, Name, OrganizationId, PageSize, PageToken, UserGroupId, UserId } from './ids.ts'
import { operation } from './operation.ts'

export const UserGroupRecord = Type.Object({ groupId: Type.String(), groupName: Type.Optional(Type.String()) })
export type UserGroupRecord = Type.Static<typeof UserGroupRecord>

export const addUserGroups = operation({
  name: 'user-groups.add',
  path: '/v2/organizations/usergroups/add',
  credentials: 'apiKey',
  scope: 'write',
  summary: 'Add user groups',
  description:
    'Adds groups, without users, to an organization. An id that is there already gets `code: "already-exists"`.',
  data: Type.Object(
    {
      organizationId: OrganizationId,
      createOrganization: Type.Optional(Type.Boolean({ default: false })),
      organizationUserGroups: Items(
        Type.Object(
          { groupId: UserGroupId, groupName: Type.Optional(Name('The name of the group.')) },
          { additionalProperties: false },
        ),
        'The same id twice: the last wins.',
      ),
    },
    { additionalProperties: false },
  ),
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
    'All user groups of an organization in id order, page by page; or the named ones, one entry for each in the order asked, where an unknown id gets `{ id, success: false, code: "not-found" }`. Who is in a group is answered by `users/get` with `organizationUserGroupIds`.',
  data: Type.Object(
    {
      organizationId: OrganizationId,
      organizationUserGroupIds: Type.Optional(Items(UserGroupId, 'Only these, in this order; no paging.')),
      pageSize: Type.Optional(PageSize),
      pageToken: Type.Optional(PageToken),
    },
    { additionalProperties: false },
  ),
  result: Type.Array(Type.Union([UserGroupRecord, ItemResult])),
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
  description: 'Gives groups other names; `null` takes the name away. An unknown id gets `code: "not-found"`.',
  data: Type.Object(
    {
      organizationId: OrganizationId,
      organizationUserGroups: Items(
        Type.Object(
          { groupId: UserGroupId, groupName: Type.Union([Name('The new name.'), Type.Null()]) },
          { additionalProperties: false },
        ),
        'The same id twice: the last wins.',
      ),
    },
    { additionalProperties: false },
  ),
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
  description: 'Deletes groups. Their users stay members of the organization. An unknown id gets `code: "not-found"`.',
  data: Type.Object(
    { organizationId: OrganizationId, organizationUserGroupIds: Items(UserGroupId, 'The groups.') },
    { additionalProperties: false },
  ),
  result: BatchResult,
  success: 'User groups deleted successfully.',
  reasons: ['organization_does_not_exist'],
  example: { organizationId: 'acme', organizationUserGroupIds: ['design'] },
})

/** The answer for one user: that of every batch, with the group where others have an `id`. */
export const UserGroupUserResult = Type.Object(
  {
    success: Type.Boolean(),
    organizationUserGroupId: Type.String(),
    message: Type.String(),
    code: Type.Optional(Type.Enum(['not-found'], { description: 'Why the item failed.' })),
    retryable: Type.Optional(Type.Boolean({ description: 'Present on failures: would the same item later succeed?' })),
  },
  { additionalProperties: false },
)
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
    'Puts members of the organization (users with a live grant on it) into a group; others get `code: "not-found"`. Who is in it already stays. A user whose grant on the organization ends or expires is not in the group from that moment, and is again when granted anew; `users/delete` takes the place in the group away for good.',
  data: Type.Object(
    {
      organizationId: OrganizationId,
      organizationUserGroupId: UserGroupId,
      userIds: Items(UserId, 'The users.'),
    },
    { additionalProperties: false },
  ),
  result: UserGroupUserResults,
  success: 'Users added to the user group successfully.',
  reasons: ['organization_does_not_exist', 'user_group_does_not_exist'],
  example: { organizationId: 'acme', organizationUserGroupId: 'design', userIds: ['ada'] },
})

export const deleteUserGroupUsers = operation({
  name: 'user-group-users.delete',
  path: '/v2/organizations/usergroups/users/delete',
  credentials: 'apiKey',
  scope: 'write',
  summary: 'Take users out of a user group',
  description:
    'Takes the named users out of a group; one who is not in it gets `code: "not-found"`. Or, with `deleteAll: true` instead of `userIds`, all of them, however many there are: `data` then is empty.',
  data: Type.Object(
    {
      organizationId: OrganizationId,
      organizationUserGroupId: UserGroupId,
      userIds: Type.Optional(Items(UserId, 'The users.')),
      deleteAll: Type.Optional(Type.Boolean({ description: 'Not together with `userIds`.', default: false })),
    },
    { additionalProperties: false },
  ),
  result: UserGroupUserResults,
  success: 'Users taken out of the user group successfully.',
  reasons: ['organization_does_not_exist', 'user_group_does_not_exist'],
  example: { organizationId: 'acme', organizationUserGroupId: 'design', userIds: ['ada'] },
})
