/** `users/access/*`: revoking all access of users who leave (rules/resources.md#leaving). */
import Type from 'typebox'
import { AccessRole, ResourceType } from '../access/permissions.ts'
import { ClosedObject } from '../core/fields.ts'
import { Items, PageToken, UserId } from '../core/ids.ts'
import { LIMITS, thousands } from '../core/limits.ts'
import { operation } from '../core/operation.ts'

const Milliseconds = Type.Integer({ description: 'Milliseconds.' })

const first = <Item extends Type.TSchema>(item: Item, what: string) =>
  Type.Array(item, { description: `The first of these ${what}, at most ${LIMITS.revokedItemsShownMax}.` })

export const HeldAccess = Type.Object({
  userId: Type.String(),
  disabled: Type.Boolean({
    description: 'Whether the user is disabled, and so has no access to public resources either.',
  }),
  organizations: Type.Integer({ description: 'Organizations on this page with grants or user groups of the user.' }),
  grants: Type.Integer({
    description: "The user's own grants in them, standing and temporary; expired ones count until they are deleted.",
  }),
  temporaryGrants: Type.Integer({ description: 'How many of these grants are temporary.' }),
  userGroups: Type.Integer({ description: 'User groups in them that the user has been added to.' }),
  hasMore: Type.Boolean({
    description: `True if there may be more than counted: of a user in an organization, at most ${thousands(LIMITS.revokedItemsCountedMax)} resources with grants and as many user groups are counted.`,
  }),
  firstOrganizations: first(Type.String(), 'organizations'),
  firstGrants: first(
    Type.Object({
      organizationId: Type.String(),
      type: ResourceType,
      id: Type.String(),
      accessRole: AccessRole,
      expiresAt: Type.Optional(Type.Integer({ description: 'Unix seconds; present on temporary grants.' })),
    }),
    'grants',
  ),
  firstUserGroups: first(
    Type.Object({
      organizationId: Type.String(),
      groupId: Type.String(),
      groupName: Type.Optional(Type.String()),
    }),
    'user groups',
  ),
})
export type HeldAccess = Type.Static<typeof HeldAccess>

const PublicAccess = Type.Object({
  byDefault: Type.Boolean({
    description: 'Whether the default access type of the API key is `public`, which is the same on every page.',
  }),
  accessRole: AccessRole,
  organizations: Type.Integer({
    description: 'Organizations on this page with a folder or document whose own access type is `public`.',
  }),
  firstOrganizations: first(Type.String(), 'organizations'),
})

export const RevocationPreview = Type.Object({
  users: Type.Array(HeldAccess, {
    description: 'The grants and groups that would be removed, in the order of the call.',
  }),
  public: Type.Object(PublicAccess.properties, {
    description: 'What stays open to every user of the API key, also without a grant, and the role that it gives.',
  }),
})
export type RevocationPreview = Type.Static<typeof RevocationPreview>

export const revokeUserAccess = operation({
  name: 'user-access.revoke',
  path: '/v2/users/access/revoke',
  credentials: 'apiKey',
  scope: 'write',
  summary: 'Revoke all access of users',
  description:
    'Revokes the user tokens of users, and starts a durable job that revokes all their grants in every organization of the key and removes them from its user groups; `users/access/revoke/status` reports its progress. Everything that was granted before the call is removed; profiles are kept, and grants made during the call or later may stay. With `dryRun` nothing changes: the response shows what would be removed and what stays public, in pages that each cover some of the organizations, so that their counts add up.',
  data: ClosedObject(
    {
      userIds: Items(UserId, 'The users.'),
      disable: Type.Optional(
        Type.Boolean({
          description:
            'Also disables the users, as `users/access/disablestate/update` does: from the response on they are denied all access.',
          default: false,
        }),
      ),
      dryRun: Type.Optional(Type.Boolean({ default: false })),
      pageToken: Type.Optional(PageToken),
    },
    { narrowing: ['dryRun'] },
  ),
  result: Type.Object({
    jobId: Type.Optional(Type.String({ description: 'Absent on a dry run.' })),
    tasksCount: Type.Optional(
      Type.Integer({ description: 'One for each organization, at least 1. Absent on a dry run.' }),
    ),
    preview: Type.Optional(RevocationPreview),
  }),
  success: 'User access revocation processed successfully.',
  example: { userIds: ['ada'] },
})

export const UserAccessRevocation = Type.Object({
  jobId: Type.String(),
  status: Type.Enum(['pending', 'in_progress', 'completed']),
  tasksCount: Type.Integer(),
  tasksLeft: Type.Integer({
    description: 'The tasks of `tasksCount` that are not done; 0 exactly when the job is complete.',
  }),
  percent: Type.Integer({ minimum: 0, maximum: 100 }),
  removed: Type.Object(
    {
      grants: Type.Integer(),
      temporaryGrants: Type.Integer({ description: 'How many of these grants were temporary.' }),
      userGroups: Type.Integer(),
    },
    { description: 'What the job has removed so far, of all its users together.' },
  ),
  createdAt: Milliseconds,
  finishedAt: Type.Union([Milliseconds, Type.Null()]),
})
export type UserAccessRevocation = Type.Static<typeof UserAccessRevocation>

export const getUserAccessRevocation = operation({
  name: 'user-access-revocations.get',
  path: '/v2/users/access/revoke/status',
  credentials: 'apiKey',
  scope: 'read',
  summary: 'Get the status of a revocation of all access',
  description:
    'Returns the progress of the job, and what it has removed. A job does not fail: tasks are retried until all are done, and completed tasks stay completed if a server crashes. The record of the job is kept, without the ids of its users.',
  data: ClosedObject({ jobId: Type.String({ minLength: 1, maxLength: 64 }) }),
  result: UserAccessRevocation,
  success: 'User access revocation status retrieved successfully.',
  reasons: ['user_access_revocation_does_not_exist'],
  example: { jobId: 'b1946ac9-2b5c-4f3e-9a55-6c4f0d0f9a11' },
})

export const USER_ACCESS_OPERATIONS = [revokeUserAccess, getUserAccessRevocation]
