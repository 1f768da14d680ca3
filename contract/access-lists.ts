/** `auth/permissions/resources/list` and `users/list`: what a user has access to, and who has access to a resource. */
import Type from 'typebox'
import { Decision } from './decisions.ts'
import { FolderId, OrganizationId, PageSize, PageToken, UserId } from './ids.ts'
import { operation } from './operation.ts'
import { AccessRole, ResourceName, ResourceType } from './permissions.ts'

const AtLeast = Type.Optional(AccessRole)

const ListedResource = Type.Object({
  type: ResourceType,
  id: Type.String(),
  organizationId: Type.Optional(Type.String({ description: 'Of folders and documents.' })),
  ...Decision.properties,
})
export type ListedResource = Type.Static<typeof ListedResource>

const ListedUser = Type.Object({ userId: Type.String(), ...Decision.properties })
export type ListedUser = Type.Static<typeof ListedUser>

const PAGES = 'A page may be short or even empty; only a page without `nextPageToken` is the last one.'

export const listPermittedResources = operation({
  name: 'permitted-resources.list',
  path: '/v2/auth/permissions/resources/list',
  credentials: 'apiKey',
  scope: 'read',
  summary: 'List what a user has access to',
  description: `Lists everything in an organization that a user has access to, added or declared, each with the decision of \`permissions/check\`: the organization, then folders, then documents, in a stable order. ${PAGES} A resource that the user has access to while all pages are read is on exactly one of them, whatever changes meanwhile.`,
  data: Type.Object(
    {
      organizationId: OrganizationId,
      userId: UserId,
      types: Type.Optional(
        Type.Array(ResourceType, { description: 'Only resources of these types.', minItems: 1, maxItems: 3 }),
      ),
      folderId: Type.Optional(FolderId),
      atLeast: AtLeast,
      pageSize: Type.Optional(PageSize),
      pageToken: Type.Optional(PageToken),
    },
    { additionalProperties: false },
  ),
  result: Type.Object({
    resources: Type.Array(ListedResource),
    userDisabled: Type.Optional(
      Type.Literal(true, { description: 'Present when the user is disabled, which is why the list is empty.' }),
    ),
  }),
  success: 'Resources listed successfully.',
  reasons: ['organization_does_not_exist', 'folder_does_not_exist'],
  example: { organizationId: 'acme', userId: 'ada', types: ['document'], atLeast: 'editor' },
})

export const listPermittedUsers = operation({
  name: 'permitted-users.list',
  path: '/v2/auth/permissions/users/list',
  credentials: 'apiKey',
  scope: 'read',
  summary: 'List who has access to a resource',
  description: `Lists the users who have access to a resource by a grant, on it or above it, or by membership, in the order of their ids, each with the decision of \`permissions/check\`. ${PAGES} A user who has access while all pages are read is on exactly one of them.`,
  data: Type.Object(
    {
      resource: ResourceName,
      atLeast: AtLeast,
      pageSize: Type.Optional(PageSize),
      pageToken: Type.Optional(PageToken),
    },
    { additionalProperties: false },
  ),
  result: Type.Object({
    users: Type.Array(ListedUser),
    everyone: Type.Boolean({
      description:
        'True when the resource is public: users without a grant on it or above it have access too. With `atLeast: "editor"`, only if they are editors.',
    }),
    everyoneRole: Type.Optional({
      ...AccessRole,
      description: 'The role of those users: the `defaultAccessRole` of the API key. Present when `everyone` is true.',
    }),
  }),
  success: 'Users listed successfully.',
  reasons: ['organization_does_not_exist', 'folder_does_not_exist', 'document_does_not_exist'],
  example: { resource: { type: 'document', id: 'roadmap', organizationId: 'acme' } },
})

export const ACCESS_LIST_OPERATIONS = [listPermittedResources, listPermittedUsers]
