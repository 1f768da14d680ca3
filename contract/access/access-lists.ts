/** `auth/permissions/resources/list` and `users/list`: what a user has access to, and who has access to a resource. */
import Type from 'typebox'
import { ClosedObject } from '../core/fields.ts'
import { FolderId, OrganizationId, PAGING, UserId } from '../core/ids.ts'
import { LIMITS, thousands } from '../core/limits.ts'
import { operation } from '../core/operation.ts'
import { Decision } from './decisions.ts'
import { AccessRole, ResourceName, ResourceType } from './permissions.ts'

const AtLeast = Type.Optional(AccessRole)

export const ListedResource = Type.Object({
  type: ResourceType,
  id: Type.String(),
  organizationId: Type.Optional(Type.String({ description: 'The organization of a folder or document.' })),
  ...Decision.properties,
})
export type ListedResource = Type.Static<typeof ListedResource>

const resources = Type.Integer({
  description: 'The number of folders and documents inside, added or declared, to which the user has access.',
  minimum: 0,
  maximum: LIMITS.insideResourcesMax,
})

const Inside = Type.Object(
  { resources, accessRole: AccessRole },
  { description: 'With `inside`: what the user has access to inside the resource, and the widest role there.' },
)
export type Inside = Type.Static<typeof Inside>

export const ListedUser = Type.Object({ userId: Type.String(), ...Decision.properties, inside: Type.Optional(Inside) })
export type ListedUser = Type.Static<typeof ListedUser>

const EveryoneInside = Type.Object(
  { resources, accessRole: Type.Optional(AccessRole) },
  {
    description:
      'With `inside`: what users without any grant have access to, because it is public, and as what; `resources` is 0 if nothing inside is public. It is on the first page.',
  },
)
export type EveryoneInside = Type.Static<typeof EveryoneInside>

const PAGES = 'A page may be short or even empty; only a page without `nextPageToken` is the last one.'

export const listPermittedResources = operation({
  name: 'permitted-resources.list',
  path: '/v2/auth/permissions/resources/list',
  credentials: 'apiKey',
  scope: 'read',
  summary: 'List what a user has access to',
  description: `Lists everything in an organization that a user has access to, added or declared, each with the decision of \`permissions/check\`: the organization, then folders, then documents, in a stable order. ${PAGES} A resource that the user has access to while all pages are read is on exactly one of them, even if other access changes meanwhile.`,
  data: ClosedObject({
    organizationId: OrganizationId,
    userId: UserId,
    types: Type.Optional(
      Type.Array(ResourceType, { description: 'Only resources of these types.', minItems: 1, maxItems: 3 }),
    ),
    folderId: Type.Optional({
      ...FolderId,
      description: 'Only this folder and everything inside it, at any depth.',
    }),
    atLeast: AtLeast,
    ...PAGING,
  }),
  result: Type.Object({
    resources: Type.Array(ListedResource),
    userDisabled: Type.Optional(
      Type.Literal(true, { description: 'Present when the user is disabled, which is why the list is empty.' }),
    ),
  }),
  success: 'Resources listed successfully.',
  warns: true,
  reasons: ['organization_does_not_exist', 'folder_does_not_exist'],
  example: { organizationId: 'acme', userId: 'ada', types: ['document'], atLeast: 'editor' },
})

export const listPermittedUsers = operation({
  name: 'permitted-users.list',
  path: '/v2/auth/permissions/users/list',
  credentials: 'apiKey',
  scope: 'read',
  summary: 'List who has access to a resource',
  description: `Lists the users who have access to a resource by a grant, on it or above it, or by membership, in the order of their ids, each with the decision of \`permissions/check\`, or with \`inside\` the users who, by a grant or membership, have access to something inside the resource but not to the resource itself. ${PAGES} A user for whom this is true while all pages are read is on exactly one of them.`,
  data: ClosedObject({
    resource: ResourceName,
    inside: Type.Optional(
      Type.Boolean({
        description: `True: list the users who have access to a folder or document inside, but not to the folder or organization itself. Refused if more than ${thousands(LIMITS.insideResourcesMax)} folders and documents are inside; then ask about a folder inside.`,
        default: false,
      }),
    ),
    atLeast: AtLeast,
    ...PAGING,
  }),
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
    everyoneInside: Type.Optional(EveryoneInside),
  }),
  success: 'Users listed successfully.',
  warns: true,
  reasons: ['organization_does_not_exist', 'folder_does_not_exist', 'document_does_not_exist', 'too_much_inside'],
  example: { resource: { type: 'document', id: 'roadmap', organizationId: 'acme' } },
})

export const ACCESS_LIST_OPERATIONS = [listPermittedResources, listPermittedUsers]
