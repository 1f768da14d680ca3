/** `workspace/ssoconfig/*`: how the operators of a workspace sign in with an OpenID Connect provider (rules/operators.md#single-sign-on). */
import Type from 'typebox'
import { HttpUrl } from '../core/ids.ts'
import { LIMITS } from '../core/limits.ts'
import { operation } from '../core/operation.ts'
import { OperatorRole } from './operators.ts'

export const SsoRoleRule = Type.Object(
  {
    group: Type.Optional(
      Type.String({
        description: 'Matches accounts whose `groups` claim has this value.',
        minLength: 1,
        maxLength: LIMITS.idCharactersMax,
      }),
    ),
    emailDomain: Type.Optional(
      Type.String({
        description: 'Matches accounts with a verified address at this domain, such as `example.com`.',
        minLength: 1,
        maxLength: LIMITS.domainCharactersMax,
      }),
    ),
    role: OperatorRole,
  },
  { additionalProperties: false, description: 'Has exactly one of `group` and `emailDomain`.' },
)
export type SsoRoleRule = Type.Static<typeof SsoRoleRule>

const Roles = Type.Array(SsoRoleRule, {
  description: 'The first rule that matches an account decides its role, at each sign-in.',
  maxItems: LIMITS.ssoRoleRulesMax,
})

export const SsoConfig = Type.Object({
  enabled: Type.Boolean(),
  issuer: Type.String({ description: 'Empty: not set.' }),
  clientId: Type.String({ description: 'Empty: not set.' }),
  hasClientSecret: Type.Boolean({ description: 'Whether there is a client secret, which is never shown.' }),
  roles: Type.Array(SsoRoleRule),
  redirectUri: Type.String({ description: 'The address to register with the provider.' }),
})
export type SsoConfig = Type.Static<typeof SsoConfig>

export const getSsoConfig = operation({
  name: 'sso-config.get',
  path: '/v2/workspace/ssoconfig/get',
  credentials: 'workspace',
  summary: 'Get the settings of single sign-on',
  description: 'Returns the OpenID Connect provider with which operators sign in, and the roles that it gives.',
  data: Type.Object({}, { additionalProperties: false }),
  result: SsoConfig,
  success: 'Single sign-on settings retrieved successfully.',
  example: {},
})

export const updateSsoConfig = operation({
  name: 'sso-config.update',
  path: '/v2/workspace/ssoconfig/update',
  credentials: 'workspace',
  summary: 'Change the settings of single sign-on',
  description:
    'Changes the given fields, at least one; an empty string clears a field. Another `issuer` also clears the client secret, unless the call has one. Returns all settings as they are now.',
  data: Type.Object(
    {
      enabled: Type.Optional(Type.Boolean({ description: 'Whether operators can sign in with the provider.' })),
      issuer: Type.Optional(
        HttpUrl(
          'The issuer URL of the provider, exactly as its discovery document names it. It must be https, unless the installation allows internal addresses.',
        ),
      ),
      clientId: Type.Optional(
        Type.String({
          description: 'The id under which the provider knows this installation.',
          maxLength: LIMITS.nameCharactersMax,
        }),
      ),
      clientSecret: Type.Optional(
        Type.String({
          description: 'The secret that belongs to `clientId`; public clients have none. Stored sealed.',
          maxLength: LIMITS.secretCharactersMax,
        }),
      ),
      roles: Type.Optional(Roles),
    },
    { additionalProperties: false, minProperties: 1 },
  ),
  result: SsoConfig,
  success: 'Single sign-on settings updated successfully.',
  reasons: ['sso_config_incomplete', 'workspace_token_replaced'],
  example: {
    issuer: 'https://login.example.com',
    clientId: 'commonhold',
    clientSecret: 'a-secret-of-the-provider',
    roles: [
      { group: 'platform', role: 'admin' },
      { emailDomain: 'example.com', role: 'support' },
    ],
  },
})

export const SSO_CONFIG_OPERATIONS = [getSsoConfig, updateSsoConfig]
