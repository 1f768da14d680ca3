/** `auth/permissions/get`, `check`: what users may do, and why (rules/access.md#decision, rules/access.md#answer). */
import Type from 'typebox'
import { callerId, DocumentId, FolderId, Items, OrganizationId, UserId } from './ids.ts'
import { LIMITS } from './limits.ts'
import { operation } from './operation.ts'
import { AccessRole, AccessType, ResourceName, ResourceType } from './permissions.ts'

export const REASONS = [
  'grant',
  'access_type',
  'membership',
  'disabled',
  'no_grant',
  'grant_expired',
  'does_not_exist',
] as const

const Via = Type.Object(
  {
    type: ResourceType,
    id: Type.String(),
    inherited: Type.Boolean({ description: 'True when access comes from a resource above the one asked about.' }),
  },
  { description: 'Which resource gave the access.' },
)

const answerFields = {
  accessRole: Type.Optional(AccessRole),
  accessType: Type.Optional(AccessType),
  reason: Type.Enum([...REASONS], {
    description:
      'Why the answer is what it is. `grant`: a live grant on the resource, or above it up to its boundary; `access_type`: it is public; `membership`: it is organizationPrivate and the user has a live grant on the organization; `grant_expired`: the answer would be yes if expired grants were live.',
  }),
  via: Type.Optional(Via),
  expiresAt: Type.Optional(
    Type.Integer({ description: 'Unix seconds; present when the answer rests on an expiring grant.' }),
  ),
  migratedTo: Type.Optional(Type.String({ description: 'The id that a migrated document answers under now.' })),
}

/** The answer to one question about access. The same wherever it is given. */
export const Decision = Type.Object({
  allowed: Type.Boolean(),
  ...answerFields,
})
export type Decision = Type.Static<typeof Decision>

/** One cell of `permissions/get`. */
export const PermissionEntry = Type.Object({
  ...answerFields,
  error: Type.Optional(Type.String({ description: 'Present when the user has no access.' })),
  errorCode: Type.Optional(Type.Enum(['does_not_exist', 'permission_denied'])),
})
export type PermissionEntry = Type.Static<typeof PermissionEntry>

export const PermissionsByUser = Type.Record(
  Type.String(),
  Type.Object({
    organization: Type.Record(Type.String(), PermissionEntry),
    folders: Type.Optional(Type.Record(Type.String(), PermissionEntry)),
    documents: Type.Optional(Type.Record(Type.String(), PermissionEntry)),
  }),
  { description: 'One entry for each user asked about, under the user id.' },
)
export type PermissionsByUser = Type.Static<typeof PermissionsByUser>

export const getPermissions = operation({
  name: 'permissions.get',
  path: '/v2/auth/permissions/get',
  credentials: 'apiKey',
  scope: 'read',
  userToken: true,
  summary: 'Get permissions',
  description:
    'What users may do with one organization and the named folders and documents in it, with the reason for each answer. Users × resources (the organization is one) at most 10,000. A resource that does not exist makes the call NOT_FOUND with the whole map in `details`, unless `skipResourceExistenceValidation`.',
  data: Type.Object(
    {
      organizationId: OrganizationId,
      userIds: Type.Optional(
        Items(UserId, 'The users to ask about; they need no record. Required, but for a user token: its own user.'),
      ),
      folderIds: Type.Optional(Type.Array(FolderId, { maxItems: LIMITS.itemsPerCallMax })),
      documentIds: Type.Optional(Type.Array(DocumentId, { maxItems: LIMITS.itemsPerCallMax })),
      skipResourceExistenceValidation: Type.Optional(Type.Boolean({ default: false })),
    },
    { additionalProperties: false },
  ),
  result: PermissionsByUser,
  success: 'Permissions retrieved successfully.',
  reasons: ['resource_does_not_exist', 'other_user'],
  example: { organizationId: 'acme', userIds: ['ada'], documentIds: ['roadmap'] },
})

export const checkPermissions = operation({
  name: 'permissions.check',
  path: '/v2/auth/permissions/check',
  credentials: 'apiKey',
  scope: 'read',
  userToken: true,
  summary: 'Check permissions',
  description:
    'Answers up to 1,000 questions, each about a user and a resource, in the order asked: allowed or not, with the role, the reason, the resource that gave access and the second in which it ends. A resource that does not exist is an answer (`does_not_exist`), not an error. `atLeast: "editor"` asks for that role: a viewer is then denied, with the reason `no_grant`, or `grant_expired` when an expired grant would have done. All answers of a call are of one moment.',
  data: Type.Object(
    {
      checks: Items(
        Type.Object(
          {
            userId: Type.Optional(callerId('Required, but for a user token: its own user. The user needs no record.')),
            resource: ResourceName,
            atLeast: Type.Optional(AccessRole),
          },
          { additionalProperties: false },
        ),
        'The questions.',
      ),
    },
    { additionalProperties: false },
  ),
  result: Type.Object({ checks: Type.Array(Decision, { description: 'In the order asked.' }) }),
  success: 'Permissions checked successfully.',
  reasons: ['other_user'],
  example: {
    checks: [
      { userId: 'ada', resource: { type: 'document', id: 'roadmap', organizationId: 'acme' }, atLeast: 'editor' },
      { userId: 'ada', resource: { type: 'organization', id: 'acme' } },
    ],
  },
})
