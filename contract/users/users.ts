/** `users/*`: the users of an API key, and the memberships and roles that are given with them. */
import Type from 'typebox'
import { BatchResult } from '../core/envelope.ts'
import { ClosedObject } from '../core/fields.ts'
import { DocumentId, FolderId, Items, OrganizationId, PAGING, UserGroupId, UserId } from '../core/ids.ts'
import { LIMITS, thousands } from '../core/limits.ts'
import { operation } from '../core/operation.ts'
import { DocumentUser, IncludeInvolvedDocuments, UserChange, UserInput, UserRecord } from './user-records.ts'

const target = {
  organizationId: OrganizationId,
  documentId: Type.Optional(DocumentId),
  folderId: Type.Optional(FolderId),
}

export const addUsers = operation({
  name: 'users.add',
  path: '/v2/users/add',
  credentials: 'apiKey',
  scope: 'write',
  summary: 'Add users',
  description:
    'Stores the profiles of users and gives each a grant: on the named document or folder, otherwise on the organization, which makes the user a member. An absent `accessRole` keeps the role of a live standing grant, and is `editor` for a new one. An organization that does not exist is created.',
  data: ClosedObject({
    ...target,
    createOrganization: Type.Optional(Type.Boolean({ default: false })),
    createDocument: Type.Optional(Type.Boolean({ default: false })),
    createFolder: Type.Optional(Type.Boolean({ default: false })),
    parentFolderId: Type.Optional({
      ...FolderId,
      description:
        'The folder in which `createFolder` places the new folder; it must exist. Absent or `"root"` is the top. A folder that exists stays where it is.',
    }),
    users: Items(UserInput, 'The same id twice: the last wins.'),
  }),
  result: BatchResult,
  success: 'Users processed successfully.',
  warns: true,
  reasons: ['resource_does_not_exist', 'document_was_migrated'],
  example: {
    organizationId: 'acme',
    users: [{ userId: 'ada', name: 'Ada', email: 'ada@example.com', accessRole: 'editor' }],
  },
})

export const updateUsers = operation({
  name: 'users.update',
  path: '/v2/users/update',
  credentials: 'apiKey',
  scope: 'write',
  summary: 'Update users',
  description:
    'Merges profiles: an absent field keeps its value, `null` clears it; with `options.all` nothing else, and `organizationId` may be absent. `accessRole` changes the role of the live grants of the user, standing and temporary, on the named document, folder or organization, unless it is in force already; without such a grant the item fails with `code: "not-found"`.',
  data: ClosedObject({
    ...target,
    organizationId: Type.Optional(OrganizationId),
    options: Type.Optional(
      ClosedObject({
        all: Type.Optional(
          Type.Boolean({
            description:
              'True: only the profiles, which belong to the whole data set; not together with `accessRole`, `documentId` or `folderId`.',
            default: false,
          }),
        ),
      }),
    ),
    users: Items(UserChange, 'The same id twice: the last wins.'),
  }),
  result: BatchResult,
  success: 'Users processed successfully.',
  warns: true,
  reasons: ['organization_does_not_exist'],
  example: { organizationId: 'acme', users: [{ userId: 'ada', name: 'Ada L.', accessRole: 'viewer' }] },
})

const allDocuments = Type.Optional(
  Type.Boolean({
    description: 'Users of all documents of the organization instead; not together with `documentId` or `folderId`.',
    default: false,
  }),
)

export const getUsers = operation({
  name: 'users.get',
  path: '/v2/users/get',
  credentials: 'apiKey',
  scope: 'read',
  summary: 'Get users',
  description: `Returns the members of an organization (users with a live grant on it), the users with a live grant on the named document or folder, or with \`allDocuments\` those with one on any document, in the order of user ids. Each entry is the profile of the user, if there is one, with the role and expiry of the live grants; \`allDocuments\` omits these unless grouped. A filtered page scans at most ${thousands(LIMITS.usersExaminedPerPageMax)} users, so it may be short or empty; only a page without \`nextPageToken\` is the last one.`,
  data: ClosedObject({
    ...target,
    allDocuments,
    groupByDocumentId: Type.Optional(
      Type.Boolean({
        description:
          'Group the users by document id; needs `allDocuments`. A page has at most `pageSize` users over all documents, and a document whose users do not fit continues on the next page.',
        default: false,
      }),
    ),
    userIds: Type.Optional(Items(UserId, 'Only these users.')),
    organizationUserGroupIds: Type.Optional(Items(UserGroupId, 'Only users in one of these user groups.')),
    disabled: Type.Optional(Type.Boolean({ description: 'Only users who are disabled, or only users who are not.' })),
    searchKey: Type.Optional(
      Type.String({
        description:
          'Only users whose id, name or e-mail address contains this string; case does not matter. There are no wildcards.',
        minLength: 1,
        maxLength: LIMITS.idCharactersMax,
      }),
    ),
    includeInvolvedDocuments: Type.Optional(IncludeInvolvedDocuments),
    ...PAGING,
  }),
  result: Type.Union([
    Type.Array(DocumentUser),
    Type.Record(Type.String(), Type.Array(UserRecord), {
      description: 'The users by document id, for a call with `groupByDocumentId`.',
    }),
  ]),
  resultBy: 'groupByDocumentId',
  success: 'Users retrieved successfully.',
  warns: true,
  reasons: ['organization_does_not_exist', 'folder_does_not_exist', 'document_does_not_exist'],
  example: { organizationId: 'acme', searchKey: 'ada' },
})

export const countUsers = operation({
  name: 'users.count',
  path: '/v2/users/count',
  aliases: ['/v2/users/count/get'],
  credentials: 'apiKey',
  scope: 'read',
  summary: 'Count users',
  description:
    'Counts the users with a live grant on the organization (its members), or on the named document or folder, or with `allDocuments` on any document of the organization.',
  data: ClosedObject({
    ...target,
    allDocuments,
    userId: Type.Optional({ ...UserId, description: 'Count only this user: 1 with such a grant, otherwise 0.' }),
  }),
  result: Type.Object({ count: Type.Integer() }),
  success: 'Users counted successfully.',
  reasons: ['organization_does_not_exist', 'folder_does_not_exist', 'document_does_not_exist'],
  example: { organizationId: 'acme' },
})

export const deleteUsers = operation({
  name: 'users.delete',
  path: '/v2/users/delete',
  credentials: 'apiKey',
  scope: 'write',
  summary: 'Delete users',
  description:
    'Removes users from an organization: revokes all their grants on the organization, its folders and its documents, and removes them from its user groups. With `documentId` or `folderId` it revokes only the grant on that resource. Profiles are kept, because they belong to the API key; a user with nothing to remove gets `code: "not-found"`.',
  data: ClosedObject({ ...target, userIds: Items(UserId, 'The users.') }, { narrowing: ['documentId', 'folderId'] }),
  result: BatchResult,
  success: 'Users deleted successfully.',
  reasons: ['organization_does_not_exist'],
  example: { organizationId: 'acme', userIds: ['ada'] },
})

export const USER_OPERATIONS = [addUsers, getUsers, countUsers, updateUsers, deleteUsers]
