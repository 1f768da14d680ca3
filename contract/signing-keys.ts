/** `auth/signingkeys/*`: the key pairs that sign user tokens. Their public halves are at `/v2/auth/jwks/{apiKey}`; nothing answers a private one. */
import Type from 'typebox'
import { LIMITS } from './limits.ts'
import { operation } from './operation.ts'

const SigningKeys = Type.Object({
  signingKeys: Type.Array(
    Type.Object({
      kid: Type.String({ description: 'Its id in the JWKS and in the headers of tokens.' }),
      createdAt: Type.Integer({ description: 'Milliseconds.' }),
      expiresAt: Type.Optional(
        Type.Integer({ description: 'Unix seconds at which it stops verifying; absent: this one signs.' }),
      ),
    }),
    { description: 'Newest first: the first one signs.' },
  ),
})

export const rotateSigningKeys = operation({
  name: 'signing-keys.rotate',
  path: '/v2/auth/signingkeys/rotate',
  credentials: 'apiKey',
  scope: 'admin',
  summary: 'Rotate the key that signs user tokens',
  description: `Makes a new key pair, which signs every token from the answer on. The ones before only verify what they have signed, until the grace period is over; an end that was set earlier is not put off. Answers the live ones, of which there can be ${LIMITS.signingKeysPerKeyMax}.`,
  data: Type.Object(
    {
      gracePeriodSeconds: Type.Optional(
        Type.Integer({
          description:
            'How long tokens that are signed already stay valid, unless they expire before. Absent: `userTokenLifetimeSeconds` of the API key, so that rotating ends none. 0 ends them all at once, for a key that has leaked.',
          minimum: 0,
          maximum: LIMITS.userTokenLifetimeSecondsMax,
        }),
      ),
    },
    { additionalProperties: false },
  ),
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
  description: 'The live key pairs of the API key, as the JWKS shows them, with their ends.',
  data: Type.Object({}, { additionalProperties: false }),
  result: SigningKeys,
  success: 'Signing keys retrieved successfully.',
  example: {},
})
