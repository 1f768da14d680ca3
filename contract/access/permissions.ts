/** `auth/permissions/*`: grants of a role on organizations, folders and documents. */
import Type from 'typebox'
import { batchResultWith } from '../core/envelope.ts'
import { ClosedObject } from '../core/fields.ts'
import { callerId, ItemsOrNone, OrganizationId, UserGroupId, UserId } from '../core/ids.ts'
import { LIMITS } from '../core/limits.ts'
import { operation } from '../core/operation.ts'

export const ResourceType = Type.Enum(['organization', 'folder', 'document'])
export type ResourceType = Type.Static<typeof ResourceType>

/** From the weakest to the strongest. */
export const ACCESS_ROLES = ['viewer', 'commenter', 'editor'] as const

export const AccessRole = Type.Enum([...ACCESS_ROLES], {
  description:
    '`viewer` reads, `commenter` (only if `accessRoles` of the API key names it) also comments, `editor` reads and writes.',
  commenterOnly: 'commenter',
})
export type AccessRole = Type.Static<typeof AccessRole>

/** Returns the roles of an API key that has the role `commenter`, or does not (rules/access.md#commenters). */
export const accessRoles = (hasCommenter: boolean): AccessRole[] =>
  hasCommenter ? [...ACCESS_ROLES] : ['viewer', 'editor']

export const isStronger = (one: AccessRole, other: AccessRole): boolean =>
  ACCESS_ROLES.indexOf(one) > ACCESS_ROLES.indexOf(other)

export const AccessType = Type.Enum(['public', 'organizationPrivate', 'restricted'], {
  description:
    'Who has access: `public` any user of the API key, `organizationPrivate` users of the organization, `restricted` users with a grant.',
})
export type AccessType = Type.Static<typeof AccessType>

/** A setting of the API key (rules/access.md#role). */
export const DefaultAccessRole = Type.Enum([...ACCESS_ROLES], {
  description:
    'The role of users who have access by an access type alone, without a grant on the resource or above it. One of the `accessRoles` of the key.',
})

/** A setting of the API key (rules/access.md#commenters). */
export const AccessRoles = Type.Array(Type.Enum([...ACCESS_ROLES]), {
  description:
    'The roles that grants of the API key can have: `viewer` and `editor`, or with `commenter` between them. A key keeps `commenter` while a grant, a pending invitation or `defaultAccessRole` has it.',
  maxItems: ACCESS_ROLES.length,
})

/** Checks the `accessRoles` of a call; returns the fault, or undefined. */
export const rolesFault = (roles: readonly AccessRole[]): { field: string; message: string } | undefined =>
  accessRoles(false).every((role) => roles.includes(role))
    ? undefined
    : { field: 'accessRoles', message: 'accessRoles must have "viewer" and "editor"; only "commenter" may be absent' }

/** The result of calls that set or remove access types. */
export const BatchResultOfAccess = batchResultWith({
  accessType: Type.Optional(
    Type.Union([AccessType, Type.Null()], { description: '`null`: the resource has no access type of its own now.' }),
  ),
  inheritFromParent: Type.Optional(Type.Literal(true)),
})

export const ExpiresAt = Type.Integer({
  description:
    'Unix time in **seconds** at which the grant expires; in that second it is no longer live. A fraction is rounded up.',
  minimum: 0,
  maximum: LIMITS.expiresAtSecondsMax,
  saysMaximum: 'be in seconds; this value looks like milliseconds',
  roundsUp: true,
})

const resourceFields = {
  type: ResourceType,
  id: callerId("The caller's id of the resource."),
  organizationId: Type.Optional(
    callerId('Required when `type` is `folder` or `document`; for an organization, its own id or nothing.'),
  ),
}

/** A resource as callers name it. `organizationFault` checks the rules across its fields. */
export const ResourceName = ClosedObject(resourceFields)
export type ResourceName = Type.Static<typeof ResourceName>

export const ReplaceExisting = Type.Boolean({
  description:
    'True: the new grant becomes the only grant of the user on the resource. Use it to give a standing grant an expiry, or to make a temporary grant standing. False: the standing and the temporary grant do not change each other.',
  default: false,
})

export const TemporaryOnly = Type.Boolean({
  description: 'True: only the temporary grant is revoked, and the standing one stays.',
  default: false,
})

/** The fields of one grant, without its holder. */
export const grantFields = {
  ...resourceFields,
  accessRole: Type.Optional(AccessRole),
  expiresAt: Type.Optional(ExpiresAt),
  replaceExisting: Type.Optional(ReplaceExisting),
}

/** A grant in a call for one user or group. Later clients of the hosted original describe their own data with each resource. */
export const GrantedResource = ClosedObject({
  ...grantFields,
  context: Type.Optional(
    Type.Object(
      {},
      {
        description: 'Accepted without effect: a role is for the whole resource.',
        additionalProperties: true,
        freeform: true,
      },
    ),
  ),
})
export type GrantedResource = Type.Static<typeof GrantedResource>

/** `root` stands for the top of an organization wherever a folder is named; no folder can have this id. */
export const ROOT = 'root'

/** Checks `id` and `organizationId` of a resource against its type; returns the fault, or undefined (rules/access.md#naming-resources). */
export function organizationFault(
  resource: ResourceName,
  path: string,
  field = `${path}.organizationId`,
): { field: string; message: string } | undefined {
  if (resource.type === 'folder' && resource.id === ROOT)
    return {
      field: `${path}.id`,
      message: `${path}.id must not be "root": the top is the resource of type "organization"`,
    }
  if (resource.type !== 'organization')
    return resource.organizationId === undefined
      ? { field, message: `${field} is required when type is "${resource.type}"` }
      : undefined
  return resource.organizationId === undefined || resource.organizationId === resource.id
    ? undefined
    : { field, message: `${field} must be equal to id when type is "organization"` }
}

const UserName = ClosedObject({ userId: UserId })

export const GroupName = ClosedObject(
  { organizationId: OrganizationId, groupId: UserGroupId },
  { description: 'A user group, in place of a user. All resources must be in its organization, which they may omit.' },
)
export type GroupName = Type.Static<typeof GroupName>

export const addPermissions = operation({
  name: 'permissions.add',
  path: '/v2/auth/permissions/add',
  credentials: 'apiKey',
  scope: 'write',
  summary: 'Add permissions',
  description:
    'Grants a `user`, or all users in a `group` of an organization, a role on organizations, folders and documents, all or nothing; the call is idempotent, and an absent `accessRole` is `editor`. Without `expiresAt` the call writes the standing grant on the resource; with `expiresAt` it writes the temporary grant and keeps the standing one, and while both are live, the stronger role applies. Resources that do not exist are declared, unless the API key has `requireKnownResources`.',
  data: ClosedObject({
    user: Type.Optional(UserName),
    group: Type.Optional(GroupName),
    permissions: ClosedObject({
      resources: ItemsOrNone(
        GrantedResource,
        'The resources to grant; the same one twice: the last of each kind wins.',
      ),
    }),
  }),
  success: 'Permissions added successfully.',
  warns: true,
  reasons: [
    'resource_does_not_exist',
    'document_was_migrated',
    'organization_does_not_exist',
    'user_group_does_not_exist',
  ],
  example: {
    user: { userId: 'ada' },
    permissions: {
      resources: [
        { type: 'organization', id: 'acme', accessRole: 'viewer' },
        { type: 'document', id: 'roadmap', organizationId: 'acme', accessRole: 'editor', expiresAt: 2_000_000_000 },
      ],
    },
  },
})

export const removePermissions = operation({
  name: 'permissions.remove',
  path: '/v2/auth/permissions/remove',
  credentials: 'apiKey',
  scope: 'write',
  summary: 'Remove permissions',
  description:
    'Revokes the grants of a user or a `group` on the named resources: the standing and the temporary one, or with `temporaryOnly` only the temporary one. Revoking a grant that does not exist succeeds. Give a user as `userId`, or as `user.userId` as in `permissions/add`.',
  data: ClosedObject({
    userId: Type.Optional(UserId),
    user: Type.Optional(UserName),
    group: Type.Optional(GroupName),
    permissions: ClosedObject({
      resources: ItemsOrNone(
        ClosedObject(
          { ...resourceFields, temporaryOnly: Type.Optional(TemporaryOnly) },
          { narrowing: ['temporaryOnly'] },
        ),
        'The resources on which the grants are revoked.',
      ),
    }),
  }),
  success: 'Permissions removed successfully.',
  reasons: ['organization_does_not_exist', 'user_group_does_not_exist'],
  example: {
    userId: 'ada',
    permissions: { resources: [{ type: 'document', id: 'roadmap', organizationId: 'acme' }] },
  },
})

export const PERMISSION_OPERATIONS = [addPermissions, removePermissions]
