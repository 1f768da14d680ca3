/** `auth/permissions/get` and `check`: what users may do, and why (rules/access.md#decision). */
import Type from 'typebox'
import { ClosedObject } from '../core/fields.ts'
import { callerId, DocumentId, FolderId, Items, OrganizationId, UserId } from '../core/ids.ts'
import { LIMITS } from '../core/limits.ts'
import { operation } from '../core/operation.ts'
import { AccessRole, AccessType, ResourceName } from './permissions.ts'

export const REASONS = [
  'grant',
  'access_type',
  'membership',
  'disabled',
  'user_disabled',
  'no_grant',
  'grant_expired',
  'does_not_exist',
] as const

export const Via = Type.Object(
  {
    type: Type.Enum(['organization', 'folder', 'document', 'keyDefault'], {
      description: '`keyDefault`: no resource has an access type of its own, so the default of the API key applies.',
    }),
    id: Type.Optional(Type.String({ description: 'The id of the resource; absent for `keyDefault`.' })),
    inherited: Type.Boolean({ description: 'True when access comes from a resource above the one in question.' }),
    group: Type.Optional(
      Type.String({ description: "The id of the user group whose grant gives the access; absent for the user's own." }),
    ),
  },
  { description: 'What gives the access: a resource, or the default access type of the API key.' },
)

export const DecisionReason = Type.Enum([...REASONS], {
  description:
    'Why access is allowed or denied. `grant`: a live grant on the resource, or above it up to its boundary; `access_type`: the resource is public; `membership`: it is organizationPrivate and the user has a live grant on the organization; `disabled`: the organization or the document is disabled; `user_disabled`: the user is; `grant_expired`: access would be allowed if expired grants were live.',
})

const decisionFields = {
  accessRole: Type.Optional(AccessRole),
  accessType: Type.Optional(AccessType),
  reason: DecisionReason,
  via: Type.Optional(Via),
  expiresAt: Type.Optional(
    Type.Integer({ description: 'Unix seconds; present when the access comes from a grant that expires.' }),
  ),
  migratedTo: Type.Optional(
    Type.String({
      description:
        'The new id of a document that was migrated; with a user token, only if that document is open to the user.',
    }),
  ),
}

/** Whether a user has access to a resource, and why. Every operation that decides returns this shape. */
export const Decision = Type.Object({
  allowed: Type.Boolean(),
  ...decisionFields,
})
export type Decision = Type.Static<typeof Decision>

/** One decision of `permissions/get`. */
export const PermissionEntry = Type.Object({
  ...decisionFields,
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
  { description: 'One entry for each requested user, under the user id.' },
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
    'Returns what users may do with one organization and the named folders and documents in it, with the reason for each decision. Users × resources (the organization counts as one) can be at most 10,000. If a resource does not exist, the call fails with NOT_FOUND and the whole map in `details`, unless `skipResourceExistenceValidation` is set.',
  data: ClosedObject({
    organizationId: OrganizationId,
    userIds: Type.Optional(
      Items(
        UserId,
        'The users, who need no profile. Required with an auth token; with a user token, its own user or nothing.',
      ),
    ),
    folderIds: Type.Optional(Type.Array(FolderId, { maxItems: LIMITS.itemsPerCallMax })),
    documentIds: Type.Optional(Type.Array(DocumentId, { maxItems: LIMITS.itemsPerCallMax })),
    skipResourceExistenceValidation: Type.Optional(Type.Boolean({ default: false })),
  }),
  result: PermissionsByUser,
  success: 'Permissions retrieved successfully.',
  reasons: ['resource_does_not_exist', 'other_user', 'user_disabled', 'permission_provider_failed'],
  example: { organizationId: 'acme', userIds: ['ada'], documentIds: ['roadmap'] },
})

const AtLeast = {
  ...AccessRole,
  description:
    'The role that is needed. A user with a weaker one is denied: with the reason `no_grant`, or `grant_expired` when an expired grant would have sufficed.',
}

export const checkPermissions = operation({
  name: 'permissions.check',
  path: '/v2/auth/permissions/check',
  credentials: 'apiKey',
  scope: 'read',
  userToken: true,
  summary: 'Check permissions',
  description:
    'Decides up to 1,000 pairs of a user and a resource, in the order of the request: allowed or not, with the role, the reason, the resource that gives access and the time at which it expires. A resource that does not exist is a result (`does_not_exist`), not an error. All decisions of a call are made at one moment.',
  data: ClosedObject({
    checks: Items(
      ClosedObject({
        userId: Type.Optional(
          callerId(
            'The user, who needs no profile. Required with an auth token; with a user token, its own user or nothing.',
          ),
        ),
        resource: ResourceName,
        atLeast: Type.Optional(AtLeast),
      }),
      'The pairs to decide.',
    ),
  }),
  result: Type.Object({
    checks: Type.Array(Decision, { description: 'One decision for each check of the request, in its order.' }),
  }),
  success: 'Permissions checked successfully.',
  reasons: ['other_user', 'user_disabled', 'permission_provider_failed'],
  example: {
    checks: [
      { userId: 'ada', resource: { type: 'document', id: 'roadmap', organizationId: 'acme' }, atLeast: 'editor' },
      { userId: 'ada', resource: { type: 'organization', id: 'acme' } },
    ],
  },
})

export const DECISION_OPERATIONS = [getPermissions, checkPermissions]
