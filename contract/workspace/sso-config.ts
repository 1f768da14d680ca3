/**
 * `workspace/ssoconfig/*`: how the operators of a workspace sign in with an OpenID Connect provider
 * (rules/operators.md#single-sign-on).
 */
import Type from 'typebox'
import { ClosedObject } from '../core/fields.ts'
import { HttpUrl } from '../core/ids.ts'
import { LIMITS } from '../core/limits.ts'
import { operation } from '../core/operation.ts'
import { OperatorRole } from './operators.ts'

export const SsoRoleRule = ClosedObject(
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
  { description: 'Has exactly one of `group` and `emailDomain`.' },
)
export type SsoRoleRule = Type.Static<typeof SsoRoleRule>

const Roles = Type.Array(SsoRoleRule, {
  description: 'The first rule that matches an account decides its role, at each sign-in.',
  maxItems: LIMITS.ssoRoleRulesMax,
})

export const SsoDomain = Type.Object({
  domain: Type.String(),
  verifiedAt: Type.Optional(
    Type.Integer({
      description: 'When the workspace proved that the domain is its own, in milliseconds. Absent: not yet.',
    }),
  ),
  recordName: Type.String({ description: 'The name of the TXT record that proves it.' }),
  recordValue: Type.String({ description: 'The value of that record.' }),
})
export type SsoDomain = Type.Static<typeof SsoDomain>

/** The setting that a problem is about; `provider` means a setting at the provider. */
const SSO_SETTINGS = [
  'issuer',
  'clientId',
  'clientSecret',
  'redirectUri',
  'roles',
  'domains',
  'provider',
  'server',
] as const

export const SsoProblem = Type.Object({
  code: Type.String({ description: 'Identifies the problem, such as `client_secret_wrong`.' }),
  setting: Type.Enum([...SSO_SETTINGS], {
    description: 'The setting to change. `provider`: one at the provider; `server`: one of this installation.',
  }),
  message: Type.String({ description: 'What is wrong.' }),
  next: Type.String({ description: 'What to do.' }),
})
export type SsoProblem = Type.Static<typeof SsoProblem>

export const SsoConfig = Type.Object({
  enabled: Type.Boolean(),
  issuer: Type.String({ description: 'Empty: not set.' }),
  clientId: Type.String({ description: 'Empty: not set.' }),
  hasClientSecret: Type.Boolean({ description: 'Whether there is a client secret, which is never shown.' }),
  roles: Type.Array(SsoRoleRule),
  redirectUri: Type.String({ description: 'The address to register with the provider.' }),
  domains: Type.Array(SsoDomain),
  signInUrl: Type.String({ description: 'The address at which operators sign in with the provider, to hand to them.' }),
})
export type SsoConfig = Type.Static<typeof SsoConfig>

const Issuer = HttpUrl(
  'The issuer URL of the provider, exactly as its discovery document names it. It must be https, unless the installation allows internal addresses.',
)
const ClientId = Type.String({
  description: 'The id under which the provider knows this installation.',
  maxLength: LIMITS.nameCharactersMax,
})
const ClientSecret = Type.String({
  description: 'The secret that belongs to `clientId`; public clients have none. Stored sealed.',
  maxLength: LIMITS.secretCharactersMax,
})
const Domain = Type.String({
  description: 'The part of e-mail addresses after the @, such as `example.com`.',
  minLength: 1,
  maxLength: LIMITS.domainCharactersMax,
})

export const getSsoConfig = operation({
  name: 'sso-config.get',
  path: '/v2/workspace/ssoconfig/get',
  credentials: 'workspace',
  summary: 'Get the settings of single sign-on',
  description: 'Returns the OpenID Connect provider with which operators sign in, and the roles that it gives.',
  data: ClosedObject({}),
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
  data: ClosedObject(
    {
      enabled: Type.Optional(Type.Boolean({ description: 'Whether operators can sign in with the provider.' })),
      issuer: Type.Optional(Issuer),
      clientId: Type.Optional(ClientId),
      clientSecret: Type.Optional(ClientSecret),
      roles: Type.Optional(Roles),
      domains: Type.Optional(
        Type.Array(Domain, {
          description:
            'All domains by which the addresses of operators find the workspace at sign-in, as soon as they are verified. A domain that is left out is no longer verified.',
          maxItems: LIMITS.ssoDomainsMax,
        }),
      ),
    },
    { minProperties: 1 },
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
    domains: ['example.com'],
  },
})

export const testSsoConfig = operation({
  name: 'sso-config.test',
  path: '/v2/workspace/ssoconfig/test',
  credentials: 'workspace',
  summary: 'Test a connection for single sign-on',
  description:
    'Calls the provider with the stored settings, in which the given fields are replaced, and returns what is wrong with them; nothing is saved. If nothing is, `url` leads through the rest of the test in a browser: the sign-in at the provider, after which a page shows what it would lead to. A test signs nobody in.',
  data: ClosedObject({
    issuer: Type.Optional(Issuer),
    clientId: Type.Optional(ClientId),
    clientSecret: Type.Optional(ClientSecret),
    roles: Type.Optional(Roles),
  }),
  result: Type.Object({
    problem: Type.Optional(SsoProblem),
    url: Type.Optional(Type.String({ description: 'Works once, in any browser. Absent if there is a `problem`.' })),
    expiresAt: Type.Optional(Type.Integer({ description: 'When `url` expires, in milliseconds.' })),
  }),
  success: 'Connection tested.',
  example: {},
})

export const verifySsoDomain = operation({
  name: 'sso-domains.verify',
  path: '/v2/workspace/ssodomains/verify',
  credentials: 'workspace',
  summary: 'Verify a domain for single sign-on',
  description:
    'Looks for the TXT record of the domain in the DNS. If it is there, addresses at the domain find this workspace at sign-in; if not, `problem` says what was found. A domain that another workspace has verified stays with it as long as its record is there.',
  data: ClosedObject({ domain: Domain }),
  result: Type.Object({ domain: SsoDomain, problem: Type.Optional(SsoProblem) }),
  success: 'Domain checked.',
  reasons: ['sso_domain_does_not_exist', 'workspace_token_replaced'],
  example: { domain: 'example.com' },
})

export const SSO_CONFIG_OPERATIONS = [getSsoConfig, updateSsoConfig, testSsoConfig, verifySsoDomain]
