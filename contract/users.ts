/** `users/*`: profiles, one for each user of an API key, and the membership and roles given along with them. */
import Type from 'typebox'
import { BatchResult } from './envelope.ts'
import { DocumentId, Email, FolderId, Items, OrganizationId, UserId } from './ids.ts'
import { LIMITS } from './limits.ts'
import { operation } from './operation.ts'
import { AccessRole } from './permissions.ts'

const text = () => Type.String({ maxLength: LIMITS.nameCharactersMax })

/** The profile fields that have a meaning; the rest of an open user object is metadata. */
const profileFields = {
  name: text(),
  email: Email("The user's address."),
  photoUrl: Type.String({ maxLength: LIMITS.urlCharactersMax }),
  plan: text(),
  color: text(),
  textColor: text(),
  type: text(),
  initial: text(),
  isReadOnly: Type.Boolean(),
  isAnonymous: Type.Boolean(),
  isGuest: Type.Boolean(),
  isAdmin: Type.Boolean({ description: 'Carried by the tokens of the user; it opens nothing here.' }),
}

const optional = <Fields extends Type.TProperties>(fields: Fields) => Type.Partial(Type.Object(fields)).properties
const nullable = <Fields extends Type.TProperties>(
  fields: Fields,
): { [Name in keyof Fields]: Type.TOptional<Type.TUnion<[Fields[Name], Type.TNull]>> } =>
  Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [name, Type.Optional(Type.Union([schema, Type.Null()]))]),
  ) as never

const target = {
  organizationId: OrganizationId,
  documentId: Type.Optional(DocumentId),
  folderId: Type.Optional(FolderId),
}

/** Open: other fields are metadata, stored and returned (decisions A3). */
export const UserInput = Type.Object(
  {
    userId: UserId,
    ...optional(profileFields),
    accessRole: Type.Optional(AccessRole),
    organizationId: Type.Optional(callerOrganization()),
  },
  { additionalProperties: true, metadata: true },
)
export type UserInput = Type.Static<typeof UserInput>

export const UserChange = Type.Object(
  {
    userId: UserId,
    ...nullable(profileFields),
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
    'Merges profiles: an absent field stays, `null` clears it. `accessRole` changes the role of the grant that the user has on the document, folder or organization named; without such a grant the item fails with `code: "not-found"`.',
  data: Type.Object(
    { ...target, users: Items(UserChange, 'The same id twice: the last wins.') },
    { additionalProperties: false },
  ),
  result: BatchResult,
  success: 'Users processed successfully.',
  reasons: ['organization_does_not_exist'],
  example: { organizationId: 'acme', users: [{ userId: 'ada', name: 'Ada L.', accessRole: 'viewer' }] },
})
