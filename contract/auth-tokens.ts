/** `workspace/authtokens/get` and `workspace/authtoken/reset`: the secrets that go with an API key. */
import Type from 'typebox'
import { ApiKeyName } from './api-keys.ts'
import { operation } from './operation.ts'

export const AuthToken = Type.Object({
  token: Type.String({ description: 'A secret, the value of `x-service-auth-token`.' }),
  name: Type.String(),
  domains: Type.Array(Type.String()),
})
export type AuthToken = Type.Static<typeof AuthToken>

export const getAuthTokens = operation({
  name: 'auth-tokens.get',
  path: '/v2/workspace/authtokens/get',
  credentials: 'workspace',
  summary: 'Get the auth tokens of a key',
  description: 'The tokens that are valid now, oldest first.',
  data: Type.Object({ apiKey: ApiKeyName }, { additionalProperties: false }),
  result: Type.Object({ apiKey: Type.String(), authTokens: Type.Array(AuthToken) }),
  success: 'Auth tokens retrieved successfully.',
  reasons: ['api_key_does_not_exist'],
  example: { apiKey: 'chk_test_example' },
})

export const resetAuthToken = operation({
  name: 'auth-tokens.reset',
  path: '/v2/workspace/authtoken/reset',
  credentials: 'workspace',
  summary: 'Replace the auth tokens of a key',
  description:
    'Makes a new token and ends the old ones, at once or after `gracePeriodSeconds`. The new one is valid with the answer.',
  data: Type.Object(
    {
      apiKey: ApiKeyName,
      gracePeriodSeconds: Type.Optional(
        Type.Integer({ description: 'How long the old tokens stay valid.', minimum: 0, maximum: 604_800, default: 0 }),
      ),
    },
    { additionalProperties: false },
  ),
  result: Type.Object({ apiKey: Type.String(), newAuthToken: AuthToken }),
  success: 'Auth token reset successfully.',
  reasons: ['api_key_does_not_exist'],
  example: { apiKey: 'chk_test_example' },
})
