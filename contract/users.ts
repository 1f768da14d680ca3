/** `users/*`: user profiles, one for each user of an API key, and the memberships and roles that are given with them. */
import Type from 'typebox'
import { ACCESS_ADVICE } from './access-words.ts'
import { BatchResult } from './envelope.ts'
import {
  DocumentId,
  Email,
  FolderId,
  HttpUrl,
  Items,
  OrganizationId,
  PageSize,
  PageToken,
  UserGroupId,
  UserId,
} from './ids.ts'
import { LIMITS } from './limits.ts'
import { operation } from './operation.ts'
import { AccessRole } from './permissions.ts'

export const ProfileEmail = { ...Email("The user's address. Empty: absent."), emptyIsAbsent: true }

const text = () => Type.String({ maxLength: LIMITS.nameCharactersMax })

/** The profile fields that have a meaning; the rest of an open user object is metadata. */
const profileFields = {
  name: text(),
  email: ProfileEmail,
  photoUrl: { ...HttpUrl("The URL of the user's picture. Empty: absent."), emptyIsAbsent: true },
  plan: text(),
  color: text(),
  textColor: text(),
  type: text(),
  initial: Type.String({
    description: 'Default: the first letter of the name, computed when the user is read.',
    maxLength: LIMITS.nameCharactersMax,
  }),
  isReadOnly: Type.Boolean(),
  isAnonymous: Type.Boolean(),
  isGuest: Type.Boolean(),
  isAdmin: Type.Boolean({ description: 'Stands in the tokens of the user; it gives no access in Commonhold.' }),
}

const optional = <Fields extends Type.TProperties>(fields: Fields) => Type.Partial(Type.Object(fields)).properties

/** The profile fields as optional properties, for every object that includes a profile. */
export const profileProperties = optional(profileFields)

const nullable = <Fields extends Type.TProperties>(
  fields: Fields,
): { [Name in keyof Fields]: Type.TOptional<Type.TUnion<[Fields[Name], Type.TNull]>> } =>
  Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [name, Type.Optional(Type.Union([schema, Type.Null()]))]),
  ) as never

/** The same for updates, where `null` clears a field. */
export const nullableProfileProperties = nullable(profileFields)

const target = {
  organizationId: OrganizationId,
  documentId: Type.Optional(DocumentId),
  folderId: Type.Optional(FolderId),
}

/** One of two live grants of a user on a resource. */
export const LiveGrant = Type.Object({ accessRole: AccessRole, expiresAt: Type.Optional(Type.Integer()) })

/** A user as `users.get` returns it: the profile with its metadata, and the grant if the query is about one resource. */
export const UserRecord = Type.Object(
  {
    userId: Type.String(),
    ...profileProperties,
    disabled: Type.Optional(Type.Literal(true, { description: 'Present when the user is disabled.' })),
    accessRole: Type.Optional(AccessRole),
    expiresAt: Type.Optional(Type.Integer({ description: 'Unix seconds; present when the role ends.' })),
    liveGrants: Type.Optional(
      Type.Array(LiveGrant, {
        description:
          'Present when the user has two live grants on the resource: the standing one, then the temporary one. `accessRole` is the stronger of their roles.',
      }),
    ),
  },
  { additionalProperties: true },
)
export type UserRecord = Type.Static<typeof UserRecord>

/** A document on which a user has a live grant. */
export const InvolvedDocument = Type.Object({
  documentId: Type.String(),
  documentName: Type.Optional(Type.String()),
  accessRole: AccessRole,
  expiresAt: Type.Optional(Type.Integer({ description: 'Unix seconds; present when the role ends.' })),
})
export type InvolvedDocument = Type.Static<typeof InvolvedDocument>

/** A user with the documents that `includeInvolvedDocuments` adds. */
export const DocumentUser = Type.Object(
  {
    ...UserRecord.properties,
    involvedDocuments: Type.Optional(
      Type.Array(InvolvedDocument, {
        description: `With \`includeInvolvedDocuments\`: the documents on which the user has a live grant, in id order, at most ${LIMITS.involvedDocumentsMax.toLocaleString('en')}.`,
      }),
    ),
    hasMoreInvolvedDocuments: Type.Optional(
      Type.Literal(true, { description: 'Present when there are more; `auth/permissions/grants/list` has all.' }),
    ),
  },
  { additionalProperties: true },
)

export type DocumentUser = Type.Static<typeof DocumentUser>

export const IncludeInvolvedDocuments = Type.Boolean({
  description: `Add the documents of each user; needs \`userIds\`, at most ${LIMITS.involvedUsersMax}.`,
  default: false,
})

export const OPEN_USER = {
  additionalProperties: true,
  metadata: true,
  recordFields: Object.keys(UserRecord.properties),
} as const

/** Open: other fields are metadata, stored and returned (rules/contract.md#metadata). */
export const UserInput = Type.Object(
  {
    userId: UserId,
    ...profileProperties,
    accessRole: Type.Optional(AccessRole),
    organizationId: Type.Optional(callerOrganization()),
  },
  { ...OPEN_USER, accessAdvice: ACCESS_ADVICE.user },
)
export type UserInput = Type.Static<typeof UserInput>

export const UserChange = Type.Object(
  {
    userId: UserId,
    ...nullableProfileProperties,
    accessRole: Type.Optional(AccessRole),
    organizationId: Type.Optional(callerOrganization()),
  },
  { ...OPEN_USER, accessAdvice: ACCESS_ADVICE.user },
)

function callerOrganization() {
  return Type.String({
    description: 'Accepted only if it equals the `organizationId` of the call.',
    minLength: 1,
    maxLength: LIMITS.idCharactersMax,
  })
}

export const addUsers = operation({
  name: 'users.add',
  path: '/v2/users/add',
  credentials: 'apiKey',
  scope: 'write',
  summary: 'Add users',
  description:
    'Stores the profiles of users and gives each a grant: on the named document or folder, otherwise on the organization, which makes the user a member. An absent `accessRole` keeps the role of a live standing grant, and is `editor` for a new one. An organization that does not exist is created.',
  data: Type.Object(
    {
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
    },
    { additionalProperties: false },
  ),
  result: BatchResult,
  success: 'Users processed successfully.',
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
  data: Type.Object(
    {
      ...target,
      organizationId: Type.Optional(OrganizationId),
      options: Type.Optional(
        Type.Object(
          {
            all: Type.Optional(
              Type.Boolean({
                description:
                  'True: only the profiles, which belong to the whole data set; not together with `accessRole`, `documentId` or `folderId`.',
                default: false,
              }),
            ),
          },
          { additionalProperties: false },
        ),
      ),
      users: Items(UserChange, 'The same id twice: the last wins.'),
    },
    { additionalProperties: false },
  ),
  result: BatchResult,
  success: 'Users processed successfully.',
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
  description: `Returns the members of an organization (users with a live grant on it), the users with a live grant on the named document or folder, or with \`allDocuments\` those with one on any document, in the order of user ids. Each entry is the profile of the user, if there is one, with the role and expiry of the live grants; \`allDocuments\` omits these unless grouped. A filtered page scans at most ${LIMITS.usersExaminedPerPageMax.toLocaleString('en')} users, so it may be short or empty; only a page without \`nextPageToken\` is the last one.`,
  data: Type.Object(
    {
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
      pageSize: Type.Optional(PageSize),
      pageToken: Type.Optional(PageToken),
    },
    { additionalProperties: false },
  ),
  result: Type.Union([
    Type.Array(DocumentUser),
    Type.Record(Type.String(), Type.Array(UserRecord), { description: 'With `groupByDocumentId`: by document id.' }),
  ]),
  resultBy: 'groupByDocumentId',
  success: 'Users retrieved successfully.',
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
  data: Type.Object(
    {
      ...target,
      allDocuments,
      userId: Type.Optional({ ...UserId, description: 'Count only this user: 1 with such a grant, otherwise 0.' }),
    },
    { additionalProperties: false },
  ),
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
  data: Type.Object({ ...target, userIds: Items(UserId, 'The users.') }, { additionalProperties: false }),
  result: BatchResult,
  success: 'Users deleted successfully.',
  reasons: ['organization_does_not_exist'],
  example: { organizationId: 'acme', userIds: ['ada'] },
})

export const USER_OPERATIONS = [addUsers, getUsers, countUsers, updateUsers, deleteUsers]
