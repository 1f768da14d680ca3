/**
 * `auth/signingkeys/*`: the key pairs that sign user tokens. The public keys are at `/v2/auth/jwks/{apiKey}`; no call
 * returns a private key.
 */
import Type from 'typebox'
import { ClosedObject } from '../core/fields.ts'
import { LIMITS } from '../core/limits.ts'
import { operation } from '../core/operation.ts'

export const SigningKeys = Type.Object({
  signingKeys: Type.Array(
    Type.Object({
      kid: Type.String({ description: 'The id of the key in the JWKS and in token headers.' }),
      createdAt: Type.Integer({ description: 'Milliseconds.' }),
      expiresAt: Type.Optional(
        Type.Integer({ description: 'Unix seconds at which it stops verifying; absent: this key signs.' }),
      ),
    }),
    { description: 'Newest first; the first one signs.' },
  ),
})

/** A JWK set (RFC 7517). */
export const PublicKeys = Type.Object({
  keys: Type.Array(
    Type.Object(
      {
        kty: Type.Literal('EC'),
        crv: Type.Literal('P-256'),
        kid: Type.String({ description: 'The id of the key, as in the header of the tokens that it signed.' }),
        x: Type.String(),
        y: Type.String(),
      },
      { additionalProperties: true },
    ),
  ),
})

export const rotateSigningKeys = operation({
  name: 'signing-keys.rotate',
  path: '/v2/auth/signingkeys/rotate',
  credentials: 'apiKey',
  scope: 'admin',
  summary: 'Rotate the key that signs user tokens',
  description: `Creates a new key pair, which signs every token once the call has returned. The previous keys only verify what they have signed, until the grace period ends; an end that was set earlier is not postponed. Returns the live keys, at most ${LIMITS.signingKeysPerKeyMax}.`,
  data: ClosedObject({
    gracePeriodSeconds: Type.Optional(
      Type.Integer({
        description:
          'How long tokens that are signed already stay valid, unless they expire earlier. Default: `userTokenLifetimeSeconds` of the API key, so that no token is cut short. 0 invalidates them all at once, for a key that has leaked.',
        minimum: 0,
        maximum: LIMITS.userTokenLifetimeSecondsMax,
      }),
    ),
  }),
  result: SigningKeys,
  success: 'Signing keys rotated successfully.',
  reasons: ['too_many_signing_keys'],
  example: {},
})

export const listSigningKeys = operation({
  name: 'signing-keys.list',
  path: '/v2/auth/signingkeys/list',
  credentials: 'apiKey',
  scope: 'read',
  summary: 'List the signing keys of user tokens',
  description: 'Lists the live key pairs of the API key, as in the JWKS, with their expiry.',
  data: ClosedObject({}),
  result: SigningKeys,
  success: 'Signing keys retrieved successfully.',
  example: {},
})

export const SIGNING_KEY_OPERATIONS = [rotateSigningKeys, listSigningKeys]
