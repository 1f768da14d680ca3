/** `users/*`: profiles, one for each user of an API key, and the membership and roles given along with them. */
import Type from 'typebox'
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

const text = () => Type.String({ maxLength: LIMITS.nameCharactersMax })

/** The profile fields that have a meaning; the rest of an open user object is metadata. */
const profileFields = {
  name: text(),
  email: Email("The user's address."),
  photoUrl: HttpUrl("Where the user's picture is."),
  plan: text(),
  color: text(),
  textColor: text(),
  type: text(),
  initial: Type.String({
    description: 'Default, when the user is read: the first letter of the name.',
    maxLength: LIMITS.nameCharactersMax,
  }),
  isReadOnly: Type.Boolean(),
  isAnonymous: Type.Boolean(),
  isGuest: Type.Boolean(),
  isAdmin: Type.Boolean({ description: 'Carried by the tokens of the user; it opens nothing here.' }),
}

const optional = <Fields extends Type.TProperties>(fields: Fields) => Type.Partial(Type.Object(fields)).properties

/** For whoever else takes a profile: the fields that have a meaning. */
export const profileProperties = optional(profileFields)

const nullable = <Fields extends Type.TProperties>(
  fields: Fields,
): { [Name in keyof Fields]: Type.TOptional<Type.TUnion<[Fields[Name], Type.TNull]>> } =>
  Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [name, Type.Optional(Type.Union([schema, Type.Null()]))]),
  ) as never

/** The same for whoever changes one: `null` clears. */
export const nullableProfileProperties = nullable(profileFields)

const target = {
  organizationId: OrganizationId,
  documentId: Type.Optional(DocumentId),
  folderId: Type.Optional(FolderId),
}

/** Open: other fields are metadata, stored and returned (rules/contract.md#metadata). */
export const UserInput = Type.Object(
  {
    userId: UserId,
    ...profileProperties,
    accessRole: Type.Optional(AccessRole),
    organizationId: Type.Optional(callerOrganization()),
  },
  { additionalProperties: true, metadata: true },
)
export type UserInput = Type.Static<typeof UserInput>

export const UserChange = Type.Object(
  {
    userId: UserId,
    ...nullableProfileProperties,
    accessRole: Type.Optional(AccessRole),
    organizationId: Type.Optional(callerOrganization()),
  },
  { additionalProperties: true, metadata: true },
)

function callerOrganization() {
  return Type.String({
    description: 'Accepted when equal to the organizationId of the call.',
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
    'Stores the profiles of users and gives each a grant: on the document or the folder named, otherwise on the organization, which makes the user a member of it. An absent `accessRole` keeps the role of a live grant and is `editor` for a new one. An organization that is not there comes into being.',
  data: Type.Object(
    {
      ...target,
      createOrganization: Type.Optional(Type.Boolean({ default: false })),
      createDocument: Type.Optional(Type.Boolean({ default: false })),
      createFolder: Type.Optional(Type.Boolean({ default: false })),
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
    'Merges profiles: an absent field stays, `null` clears it. `accessRole` changes the role of the live grant that the user has on the document, folder or organization named; without such a grant the item fails with `code: "not-found"`.',
  data: Type.Object(
    { ...target, users: Items(UserChange, 'The same id twice: the last wins.') },
    { additionalProperties: false },
  ),
  result: BatchResult,
  success: 'Users processed successfully.',
  reasons: ['organization_does_not_exist'],
  example: { organizationId: 'acme', users: [{ userId: 'ada', name: 'Ada L.', accessRole: 'viewer' }] },
})

/** A user as `users.get` shows one: the profile, with its metadata, and the grant where one target is asked about. */
export const UserRecord = Type.Object(
  {
    userId: Type.String(),
    ...profileProperties,
    accessRole: Type.Optional(AccessRole),
    expiresAt: Type.Optional(Type.Integer({ description: 'Unix seconds; present when the grant ends.' })),
  },
  { additionalProperties: true },
)
export type UserRecord = Type.Static<typeof UserRecord>

const allDocuments = Type.Optional(
  Type.Boolean({
    description: 'Of all documents of the organization instead; not together with `documentId` or `folderId`.',
    default: false,
  }),
)

export const getUsers = operation({
  name: 'users.get',
  path: '/v2/users/get',
  credentials: 'apiKey',
  scope: 'read',
  summary: 'Get users',
  description: `The members of an organization, who are the users with a live grant on it; or the users with a live grant on the document or folder named; or, with \`allDocuments\`, those with one on any document of the organization. In order of user id, page by page. \`userIds\`, \`organizationUserGroupIds\` and \`searchKey\` narrow the answer, together when several are given; an id that nobody has selects nobody. Each entry is the profile of the user (a user who only holds a grant has none) with the role and expiry of the grant, which \`allDocuments\` leaves out unless grouped. With \`groupByDocumentId\` the answer is an object with a list of users for each document; a page then has at most \`pageSize\` users over all its documents, and a document whose users do not fit goes on, under the same id, on the next page. A page of a narrowed list looks at no more than ${LIMITS.usersExaminedPerPageMax.toLocaleString('en')} users, so it may be short, even empty, and not be the last: only a missing \`nextPageToken\` ends the list.`,
  data: Type.Object(
    {
      ...target,
      allDocuments,
      groupByDocumentId: Type.Optional(
        Type.Boolean({
          description: 'Needs `allDocuments`: the users of each document, under its id.',
          default: false,
        }),
      ),
      userIds: Type.Optional(Items(UserId, 'Only these.')),
      organizationUserGroupIds: Type.Optional(Items(UserGroupId, 'Only who is in one of these user groups.')),
      searchKey: Type.Optional(
        Type.String({
          description:
            'Only users whose id, name or e-mail address contains this text, upper and lower case alike. No character of it is a wildcard.',
          minLength: 1,
          maxLength: LIMITS.idCharactersMax,
        }),
      ),
      pageSize: Type.Optional(PageSize),
      pageToken: Type.Optional(PageToken),
    },
    { additionalProperties: false, unimplemented: ['includeInvolvedDocuments'] },
  ),
  result: Type.Union([
    Type.Array(UserRecord),
    Type.Record(Type.String(), Type.Array(UserRecord), { description: 'With `groupByDocumentId`: by document id.' }),
  ]),
  success: 'Users retrieved successfully.',
  reasons: ['organization_does_not_exist', 'folder_does_not_exist', 'document_does_not_exist', 'field_not_implemented'],
  example: { organizationId: 'acme', searchKey: 'ada' },
})

export const countUsers = operation({
  name: 'users.count',
  path: '/v2/users/count',
  credentials: 'apiKey',
  scope: 'read',
  summary: 'Count users',
  description:
    'How many users have a live grant on the organization (its members), or on the document or folder named, or with `allDocuments` on any document of the organization.',
  data: Type.Object({ ...target, allDocuments }, { additionalProperties: false }),
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
    'Takes users out of an organization: every grant that they have in it, on the organization, its folders and its documents, and their places in its user groups. With `documentId` or `folderId` only the grant on that document or folder is taken away. Profiles stay: they belong to all organizations of the API key. A user who has nothing to be taken away gets `code: "not-found"`.',
  data: Type.Object({ ...target, userIds: Items(UserId, 'The users.') }, { additionalProperties: false }),
  result: BatchResult,
  success: 'Users deleted successfully.',
  reasons: ['organization_does_not_exist'],
  example: { organizationId: 'acme', userIds: ['ada'] },
})
