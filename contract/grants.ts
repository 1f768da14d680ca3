/** `auth/permissions/grants/*`: the grants of many users at once, to list all of an organization and to give many. */
import Type from 'typebox'
import { Items, OrganizationId, PageSize, PageToken, UserId } from './ids.ts'
import { LIMITS } from './limits.ts'
import { operation } from './operation.ts'
import { AccessRole, GrantedResource, ResourceType } from './permissions.ts'

/** A grant as callers write it: who, and what `permissions.add` takes of a resource. */
export const GrantInput = Type.Object(
  { userId: UserId, ...GrantedResource.properties },
  { additionalProperties: false },
)
export type GrantInput = Type.Static<typeof GrantInput>

const ListedGrant = Type.Object({
  userId: Type.String(),
  type: ResourceType,
  id: Type.String(),
  accessRole: AccessRole,
  expiresAt: Type.Optional(Type.Integer({ description: 'Unix seconds; absent when the grant does not end.' })),
})
export type ListedGrant = Type.Static<typeof ListedGrant>

export const listGrants = operation({
  name: 'grants.list',
  path: '/v2/auth/permissions/grants/list',
  credentials: 'apiKey',
  scope: 'read',
  summary: 'List the grants of an organization',
  description: `Every grant in an organization as it was given, also one that has expired and is still kept, and one on a resource that was only declared: those on the organization, then those on folders, then those on documents, by the id of the resource and then by that of the user. What users may do follows from more than their grants: ask \`permissions/check\` or the lists of access. A page looks at no more than ${LIMITS.resourcesExaminedPerPageMax.toLocaleString('en')} resources, so it may be short, even empty, and not be the last: only a missing \`nextPageToken\` ends the list.`,
  data: Type.Object(
    {
      organizationId: OrganizationId,
      pageSize: Type.Optional(PageSize),
      pageToken: Type.Optional(PageToken),
    },
    { additionalProperties: false },
  ),
  result: Type.Object({ grants: Type.Array(ListedGrant) }),
  success: 'Grants listed successfully.',
  reasons: ['organization_does_not_exist'],
  example: { organizationId: 'acme' },
})

export const addGrants = operation({
  name: 'grants.add',
  path: '/v2/auth/permissions/grants/add',
  credentials: 'apiKey',
  scope: 'write',
  summary: 'Add grants of many users',
  description:
    'Grants many users roles on organizations, folders and documents, all or nothing; otherwise as `permissions/add` does it for one user: a grant replaces role **and** expiry of an earlier one, an absent `accessRole` is `editor`, resources that are not there yet are declared unless the API key has `requireKnownResources`. A refused call names each refused grant in `details`. Idempotent. Made for moving data in: calls whose organizations differ are worked on beside each other.',
  data: Type.Object(
    { grants: Items(GrantInput, 'The same user and resource twice: the last wins.') },
    { additionalProperties: false },
  ),
  success: 'Grants added successfully.',
  reasons: ['resource_does_not_exist', 'document_was_migrated'],
  example: {
    grants: [
      { userId: 'ada', type: 'document', id: 'roadmap', organizationId: 'acme', accessRole: 'editor' },
      { userId: 'bob', type: 'organization', id: 'acme', accessRole: 'viewer' },
    ],
  },
})
