/** `auth/permissions/grants/*`: calls that list the grants of an organization, and add grants of many users in one call. */
import Type from 'typebox'
import { ClosedObject } from '../core/fields.ts'
import { Items, OrganizationId, PAGING, UserGroupId, UserId } from '../core/ids.ts'
import { LIMITS, thousands } from '../core/limits.ts'
import { operation } from '../core/operation.ts'
import { EventActor } from '../events/events.ts'
import { GrantSource } from './permission-provider.ts'
import { AccessRole, grantFields, ResourceType } from './permissions.ts'

/** A grant as callers write it: the user or the user group, and a resource as in `permissions.add`. */
export const GrantInput = ClosedObject({
  userId: Type.Optional(UserId),
  groupId: Type.Optional(UserGroupId),
  ...grantFields,
})
export type GrantInput = Type.Static<typeof GrantInput>

export const ListedGrant = Type.Object({
  userId: Type.Optional(Type.String()),
  groupId: Type.Optional(Type.String({ description: 'The user group that holds the grant, in place of a user.' })),
  type: ResourceType,
  id: Type.String(),
  accessRole: AccessRole,
  expiresAt: Type.Optional(Type.Integer({ description: 'Unix seconds; present on temporary grants.' })),
  source: Type.Optional(GrantSource),
  grantedAt: Type.Optional(
    Type.Integer({ description: 'With `includeHistory`: when the role or its expiry was set, in **milliseconds**.' }),
  ),
  grantedBy: Type.Optional({ ...EventActor, description: 'With `includeHistory`: who set it.' }),
  lastSignInAt: Type.Optional(
    Type.Integer({
      description: 'With `includeHistory`: when a user token was last generated for the user, in **milliseconds**.',
    }),
  ),
  lastActiveAt: Type.Optional(
    Type.Integer({
      description:
        'With `includeHistory`: when the user last signed in or wrote a comment, anywhere in the API key, in **milliseconds**. It does not say that this grant was used.',
    }),
  ),
})
export type ListedGrant = Type.Static<typeof ListedGrant>

export const listGrants = operation({
  name: 'grants.list',
  path: '/v2/auth/permissions/grants/list',
  credentials: 'apiKey',
  scope: 'read',
  summary: 'List the grants of an organization',
  description: `Lists every grant in an organization, including those that have expired and are still kept, and those on declared resources: on the organization, then on folders, then on documents, by resource id, on each those of user groups before those of users. Access depends on more than grants: use \`permissions/check\` or the lists of access for that. A page scans at most ${thousands(LIMITS.resourcesExaminedPerPageMax)} resources, so it may be short or empty; only a page without \`nextPageToken\` is the last one.`,
  data: ClosedObject({
    organizationId: OrganizationId,
    includeHistory: Type.Optional(
      Type.Boolean({
        description: `Adds to each grant since when it exists, who set it, and when the user last signed in and was last active; needs the scope \`admin\`. A field is absent if the last ${LIMITS.historyEventsExaminedMax} events of the user and of the resource do not contain it.`,
        default: false,
      }),
    ),
    ...PAGING,
  }),
  result: Type.Object({ grants: Type.Array(ListedGrant) }),
  success: 'Grants listed successfully.',
  warns: true,
  reasons: ['organization_does_not_exist'],
  example: { organizationId: 'acme' },
})

export const addGrants = operation({
  name: 'grants.add',
  path: '/v2/auth/permissions/grants/add',
  credentials: 'apiKey',
  scope: 'write',
  summary: 'Add many grants',
  description:
    'Grants roles on organizations, folders and documents to many users and user groups (each grant has a `userId` or a `groupId`), all or nothing, by the rules of `permissions/add`. A refused call names each refused grant in `details`. The call is idempotent.',
  data: ClosedObject({
    grants: Items(GrantInput, 'The same user or group and resource twice: the last of each kind wins.'),
  }),
  success: 'Grants added successfully.',
  warns: true,
  reasons: ['resource_does_not_exist', 'document_was_migrated', 'user_group_does_not_exist'],
  example: {
    grants: [
      { userId: 'ada', type: 'document', id: 'roadmap', organizationId: 'acme', accessRole: 'editor' },
      { userId: 'bob', type: 'organization', id: 'acme', accessRole: 'viewer' },
    ],
  },
})

export const GRANT_OPERATIONS = [listGrants, addGrants]
