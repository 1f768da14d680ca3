/**
 * `auth/generate_token` (first named `auth/token/get`), `auth/token/verify` and `auth/tokens/revoke`: signed tokens
 * that identify a user to a front end, and carry no permissions (rules/keys.md#user-tokens).
 */
import Type from 'typebox'
import { ACCESS_ADVICE } from '../access/access-words.ts'
import { GrantedResource } from '../access/permissions.ts'
import { ClosedObject } from '../core/fields.ts'
import { ItemsOrNone, Name, OrganizationId, UserId } from '../core/ids.ts'
import { LIMITS } from '../core/limits.ts'
import { operation } from '../core/operation.ts'
import { OPEN_USER, ProfileEmail, profileProperties } from './user-records.ts'

/** Open: other fields are metadata of the user. */
export const UserProperties = Type.Object(
  {
    ...profileProperties,
    name: Type.Optional(Name("The user's name.")),
    email: Type.Optional(ProfileEmail),
    isAdmin: Type.Optional(Type.Boolean({ default: false })),
    organizationId: Type.Optional({
      ...OrganizationId,
      description:
        'Grants the organization, like an entry of `permissions.resources`; without effect beside such an entry. It is not stored with the profile.',
    }),
  },
  { ...OPEN_USER, accessAdvice: ACCESS_ADVICE.signIn },
)

export const generateToken = operation({
  name: 'user-tokens.generate',
  path: '/v2/auth/generate_token',
  aliases: ['/v2/auth/token/get'],
  credentials: 'apiKey',
  scope: 'write',
  summary: 'Generate a user token',
  description:
    'Stores the profile and the grants of a user who signs in, then signs a JWT (ES256) that identifies the user for `userTokenLifetimeSeconds` of the API key, initially 48 hours. Verify it with the keys at `/v2/auth/jwks/{apiKey}`; it carries no permissions. An absent `accessRole` keeps the role of a live grant of the same kind, standing or temporary; a temporary grant does not change the standing one.',
  data: ClosedObject({
    userId: UserId,
    userProperties: Type.Optional(UserProperties),
    permissions: Type.Optional(
      ClosedObject({ resources: ItemsOrNone(GrantedResource, 'The same one twice: the last of each kind wins.') }),
    ),
  }),
  result: Type.Object({ token: Type.String() }),
  success: 'Token generated successfully.',
  warns: true,
  secret: true,
  reasons: ['resource_does_not_exist', 'document_was_migrated', 'user_disabled'],
  example: {
    userId: 'ada',
    userProperties: { name: 'Ada', email: 'ada@example.com' },
    permissions: { resources: [{ type: 'organization', id: 'acme' }] },
  },
})

/** Why a token is not valid now. If several reasons apply, the first one is given. */
export const INACTIVE_REASONS = [
  'malformed',
  'other_api_key',
  'signing_key_unknown',
  'signature_wrong',
  'other_issuer',
  'expired',
  'revoked',
  'user_disabled',
] as const
export type InactiveReason = (typeof INACTIVE_REASONS)[number]

export const verifyToken = operation({
  name: 'user-tokens.verify',
  path: '/v2/auth/token/verify',
  credentials: 'apiKey',
  scope: 'read',
  summary: 'Verify a user token',
  description:
    'Checks whether a user token of this API key is valid now, exactly as a call with it would: signature, issuer, expiry, signing key and revocation. For a valid token it returns the claims; for any other only the reason. Unlike verification with the public keys, this call detects revoked tokens.',
  data: ClosedObject({
    token: Type.String({
      description: 'A token from `auth/generate_token`.',
      minLength: 1,
      maxLength: LIMITS.userTokenCharactersMax,
    }),
  }),
  result: Type.Object({
    active: Type.Boolean(),
    reason: Type.Optional(
      Type.Enum([...INACTIVE_REASONS], {
        description:
          'Why it is not active. `malformed`: it is not a user token; `other_api_key`: it names another API key; `signing_key_unknown`: the key that signed it was rotated out or belongs to another API key; `signature_wrong`; `other_issuer`: this server has another `PUBLIC_URL` than the one that signed it; `expired`; `revoked`: the tokens of the user were revoked, or the user was erased; `user_disabled`.',
      }),
    ),
    userId: Type.Optional(Type.String()),
    name: Type.Optional(Type.String()),
    email: Type.Optional(Type.String()),
    isAdmin: Type.Optional(Type.Boolean()),
    issuedAt: Type.Optional(Type.Integer({ description: 'Unix seconds.' })),
    expiresAt: Type.Optional(Type.Integer({ description: 'Unix seconds; in that second it is no longer valid.' })),
    jti: Type.Optional(Type.String({ description: 'The id of the token, as in the event `user_token.generated`.' })),
  }),
  success: 'Token verified successfully.',
  example: { token: 'eyJhbGciOiJFUzI1NiJ9.e30.c2lnbmF0dXJl' },
})

export const revokeTokens = operation({
  name: 'user-tokens.revoke',
  path: '/v2/auth/tokens/revoke',
  credentials: 'apiKey',
  scope: 'write',
  summary: 'Revoke the tokens of a user',
  description:
    'Revokes every token of a user that was generated before, for the next call on any server. A token that is generated after the call has returned is valid. The grants of the user are kept, except those that came from the permission provider of the API key, which are revoked; the call succeeds for an unknown user.',
  data: ClosedObject({ userId: UserId }),
  success: 'Tokens revoked successfully.',
  example: { userId: 'ada' },
})

export const USER_TOKEN_OPERATIONS = [generateToken, verifyToken, revokeTokens]
