/** `users/access/disablestate/*`: users who are denied all access in the data set of an API key (rules/access.md#disabled-users). */
import Type from 'typebox'
import { BatchResult } from '../core/envelope.ts'
import { ClosedObject } from '../core/fields.ts'
import { Items, PAGING, UserId } from '../core/ids.ts'
import { operation } from '../core/operation.ts'

export const disableUsers = operation({
  name: 'users.disable',
  path: '/v2/users/access/disablestate/update',
  credentials: 'apiKey',
  scope: 'write',
  summary: 'Disable or enable users',
  description:
    'Disables or enables users in all organizations of the API key, whether they have a profile or not. A disabled user is denied all access (`user_disabled`), their user tokens are refused, and `generate_token` refuses new ones; grants and groups are kept. Enabling gives the access back, but user tokens from before it stay invalid.',
  data: ClosedObject({ userIds: Items(UserId, 'The users.'), disabled: Type.Boolean() }),
  result: BatchResult,
  success: 'Users updated successfully.',
  example: { userIds: ['ada'], disabled: true },
})

export const listDisabledUsers = operation({
  name: 'disabled-users.list',
  path: '/v2/users/access/disablestate/list',
  credentials: 'apiKey',
  scope: 'read',
  summary: 'List disabled users',
  description:
    'Lists the disabled users of the API key, with or without a profile, in the order of user ids, page by page.',
  data: ClosedObject({
    userIds: Type.Optional(Items(UserId, 'Only these users.')),
    ...PAGING,
  }),
  result: Type.Object({
    users: Type.Array(
      Type.Object({ userId: Type.String(), disabledAt: Type.Integer({ description: 'Milliseconds.' }) }),
    ),
  }),
  success: 'Disabled users listed successfully.',
  example: {},
})

export const DISABLED_USER_OPERATIONS = [disableUsers, listDisabledUsers]
