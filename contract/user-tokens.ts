/** `auth/generate_token`: signed tokens that tell a front end who the user is; never what the user may do (decisions D3). */
import Type from 'typebox'
import { Email, Items, Name, UserId } from './ids.ts'
import { operation } from './operation.ts'
import { GrantedResource } from './permissions.ts'
import { profileProperties } from './users.ts'

/** Open: other fields are metadata of the user. */
export const UserProperties = Type.Object(
  {
    ...profileProperties,
    name: Type.Optional(Name("The user's name.")),
    email: Type.Optional(Email("The user's address.")),
    isAdmin: Type.Optional(Type.Boolean({ default: false })),
  },
  { additionalProperties: true, metadata: true },
)

export const generateToken = operation({
  name: 'user-tokens.generate',
  path: '/v2/auth/generate_token',
  credentials: 'apiKey',
  scope: 'write',
  summary: 'Generate a user token',
  description:
    'Stores the profile and the grants of a user who signs in, then signs a JWT (ES256) that identifies the user for 48 hours, or as long as `userTokenLifetimeSeconds` of the API key says; verify it with the keys at `/v2/auth/jwks/{apiKey}`. An absent `accessRole` keeps the role of a live grant; a grant with an expiry never replaces a live permanent one. The token carries no permissions: every decision is made from the database.',
  data: Type.Object(
    {
      userId: UserId,
      userProperties: Type.Optional(UserProperties),
      permissions: Type.Optional(
        Type.Object(
          { resources: Items(GrantedResource, 'The same one twice: the last wins.') },
          { additionalProperties: false },
        ),
      ),
    },
    { additionalProperties: false },
  ),
  result: Type.Object({ token: Type.String() }),
  success: 'Token generated successfully.',
  reasons: ['resource_does_not_exist', 'document_was_migrated'],
  example: {
    userId: 'ada',
    userProperties: { name: 'Ada', email: 'ada@example.com' },
    permissions: { resources: [{ type: 'organization', id: 'acme' }] },
  },
})
