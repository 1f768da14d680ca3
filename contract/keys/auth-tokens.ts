/** `workspace/authtokens/get` and `workspace/authtoken/*`: the secrets of an API key. */
import Type from 'typebox'
import { ExpiresAt } from '../access/permissions.ts'
import { ClosedObject } from '../core/fields.ts'
import { Name } from '../core/ids.ts'
import { LIMITS } from '../core/limits.ts'
import { operation, SCOPES } from '../core/operation.ts'
import { NamedOperator } from '../workspace/operators.ts'
import { ApiKeyName } from './api-keys.ts'

const Scopes = Type.Array(Type.Enum([...SCOPES]), {
  description:
    'What the token may do: `read` reads, `write` changes the data of the key, `admin` changes its settings. No scope includes another.',
  minItems: 1,
  maxItems: SCOPES.length,
})

export const TokenId = Type.String({
  description: 'Identifies the token; it is not a secret.',
  minLength: 1,
  maxLength: LIMITS.tokenCharactersMax,
})

export const TokenExpiresAt = Type.Optional({
  ...ExpiresAt,
  description:
    'Unix time in **seconds** at which the token expires; in that second it is no longer valid. Absent: it does not expire.',
})

export const TokenGracePeriod = Type.Optional(
  Type.Integer({
    description: 'How long the old tokens stay valid.',
    minimum: 0,
    maximum: LIMITS.gracePeriodSecondsMax,
    default: 0,
  }),
)

/** The origin of a token. */
export const TOKEN_WAYS = ['created', 'replaced_others', 'with_api_key', 'with_workspace'] as const

export const TokenOrigin = Type.Object({
  how: Type.Enum([...TOKEN_WAYS], {
    description:
      'Created by a call; in place of all earlier tokens; together with its API key; together with its workspace.',
  }),
  operator: Type.Optional(
    Type.Object(NamedOperator.properties, { description: 'Who did it in the console, with the name at that time.' }),
  ),
  workspaceToken: Type.Optional(Type.String({ description: 'The name of the workspace token that did it.' })),
})
export type TokenOrigin = Type.Static<typeof TokenOrigin>

/** The fields of every token in a list, by which a person recognizes it. */
export const TOKEN_RECORD = {
  id: TokenId,
  name: Type.String(),
  prefix: Type.String({ description: 'The first characters of the secret, which do not give it away.' }),
  createdAt: Type.Integer({ description: 'Milliseconds.' }),
  expiresAt: Type.Optional(Type.Integer({ description: 'Unix seconds; absent: it does not expire.' })),
  lastUsedAt: Type.Optional(
    Type.Integer({ description: 'Milliseconds, at most a minute before the last use; absent: it was never used.' }),
  ),
  origin: Type.Optional({
    ...TokenOrigin,
    description: 'The origin of the token. Absent: the token is older than this field.',
  }),
}

/** The fields of a token that are not secret. */
const RECORD = {
  ...TOKEN_RECORD,
  domains: Type.Array(Type.String()),
  scopes: Scopes,
}

export const AuthToken = Type.Object({
  token: Type.String({ description: 'The value of `x-service-auth-token`. A secret.' }),
  ...RECORD,
})
export type AuthToken = Type.Static<typeof AuthToken>

export const ListedAuthToken = Type.Object(RECORD)
export type ListedAuthToken = Type.Static<typeof ListedAuthToken>

export const getAuthTokens = operation({
  name: 'auth-tokens.get',
  path: '/v2/workspace/authtokens/get',
  credentials: 'workspace',
  summary: 'Get the auth tokens of a key',
  description:
    'Returns the tokens that are valid now, oldest first, with their secrets. Each call writes an event; `authtokens/list` omits the secrets.',
  data: ClosedObject({ apiKey: ApiKeyName }),
  result: Type.Object({ apiKey: Type.String(), authTokens: Type.Array(AuthToken) }),
  success: 'Auth tokens retrieved successfully.',
  secret: true,
  reasons: ['api_key_does_not_exist'],
  example: { apiKey: 'chk_test_example' },
})

export const listAuthTokens = operation({
  name: 'auth-tokens.list',
  path: '/v2/workspace/authtokens/list',
  credentials: 'workspace',
  summary: 'List the auth tokens of a key',
  description: 'Returns the tokens that are valid now, oldest first, without their secrets.',
  data: ClosedObject({ apiKey: ApiKeyName }),
  result: Type.Object({ apiKey: Type.String(), authTokens: Type.Array(ListedAuthToken) }),
  success: 'Auth tokens listed successfully.',
  reasons: ['api_key_does_not_exist'],
  example: { apiKey: 'chk_test_example' },
})

export const resetAuthToken = operation({
  name: 'auth-tokens.reset',
  path: '/v2/workspace/authtoken/reset',
  credentials: 'workspace',
  summary: 'Replace the auth tokens of a key',
  description:
    'Creates a new token with all scopes and revokes the old ones, at once or after `gracePeriodSeconds`. The new token is valid when the call returns.',
  data: ClosedObject(
    { apiKey: ApiKeyName, gracePeriodSeconds: TokenGracePeriod },
    { narrowing: ['gracePeriodSeconds'] },
  ),
  result: Type.Object({ apiKey: Type.String(), newAuthToken: AuthToken }),
  success: 'Auth token reset successfully.',
  secret: true,
  reasons: ['api_key_does_not_exist'],
  example: { apiKey: 'chk_test_example' },
})

export const createAuthToken = operation({
  name: 'auth-tokens.create',
  path: '/v2/workspace/authtoken/create',
  credentials: 'workspace',
  summary: 'Add an auth token to a key',
  description: `Creates one more token, with its own name, scopes and expiry. A key can have ${LIMITS.authTokensPerKeyMax} valid tokens.`,
  data: ClosedObject({
    apiKey: ApiKeyName,
    name: Name('What the token is for. Events caused with the token show this name.'),
    scopes: Type.Optional({ ...Scopes, default: [...SCOPES] }),
    expiresAt: TokenExpiresAt,
  }),
  result: Type.Object({ apiKey: Type.String(), authToken: AuthToken }),
  success: 'Auth token created successfully.',
  secret: true,
  reasons: ['api_key_does_not_exist', 'too_many_auth_tokens'],
  example: { apiKey: 'chk_test_example', name: 'reporting', scopes: ['read'] },
})

export const revokeAuthToken = operation({
  name: 'auth-tokens.revoke',
  path: '/v2/workspace/authtoken/revoke',
  credentials: 'workspace',
  summary: 'Revoke an auth token',
  description: 'Revokes one token at once. Revoking a token that has expired or been revoked already succeeds.',
  data: ClosedObject({ apiKey: ApiKeyName, authTokenId: TokenId }),
  success: 'Auth token revoked successfully.',
  reasons: ['api_key_does_not_exist', 'auth_token_does_not_exist'],
  example: { apiKey: 'chk_test_example', authTokenId: 'b1946ac9-2b5c-4f3e-9a55-6c4f0d0f9a11' },
})

export const AUTH_TOKEN_OPERATIONS = [getAuthTokens, listAuthTokens, resetAuthToken, createAuthToken, revokeAuthToken]
