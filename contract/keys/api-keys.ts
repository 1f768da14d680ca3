/** `workspace/apikey/*` and `workspace/apikeys/get`: API keys, each an isolated data set. Fields: rules/keys.md#api-keys. */
import Type from 'typebox'
import { AccessRoles, AccessType, DefaultAccessRole } from '../access/permissions.ts'
import { ClosedObject } from '../core/fields.ts'
import { Email, Items, Name, OrderBy } from '../core/ids.ts'
import { LIMITS } from '../core/limits.ts'
import { operation } from '../core/operation.ts'
import { Domain } from './domains.ts'
import { EmailServiceConfig, WebhookServiceConfig } from './service-configs.ts'

export const KeyType = Type.Enum(['testing', 'production'])
export type KeyType = Type.Static<typeof KeyType>

export const ApiKeySummary = Type.Object({
  id: Type.String(),
  apiKeyName: Type.String(),
  type: KeyType,
  disabled: Type.Boolean(),
})
export type ApiKeySummary = Type.Static<typeof ApiKeySummary>

export const ApiKeyName = Type.String({
  description: 'The API key, the value of `x-service-api-key`.',
  minLength: 1,
  maxLength: LIMITS.tokenCharactersMax,
})

/**
 * Fields for features of the hosted service that Commonhold does not have; they are refused as UNIMPLEMENTED
 * (rules/contract.md#features-not-offered).
 */
export const UNIMPLEMENTED_KEY_FIELDS = ['realtimeDBRegion'] as const

/** A setting that a key may be created with. */
export const AUTO_ORG_USER =
  'Users for whom `generate_token` names an organization in `userProperties` become members of it with the `defaultAccessRole`, if it exists and is not disabled; without this setting they get `editor`, and an unknown organization is created.'

/** The same. */
export const PRIVATE_COMMENTS = 'Whether new threads may be private. Existing private threads stay private without it.'

/** The same. */
export const JWT_TOKEN = 'Accepted without effect: users always call with a signed token.'

export const createApiKey = operation({
  name: 'api-keys.create',
  path: '/v2/workspace/apikey/create',
  credentials: 'workspace',
  summary: 'Create an API key',
  description:
    'Creates a key, which is an isolated data set. A `production` key needs `planInfo` with a `type`, or `customPlanInfo: true`, unless the server runs with `STRICT_FIELDS=false`. With `createAuthToken` the response also has an auth token for the key; otherwise the key has none until `authtoken/reset` creates one.',
  data: ClosedObject(
    {
      ownerEmail: Email('Who owns the key.'),
      type: KeyType,
      createAuthToken: Type.Optional(Type.Boolean({ default: false })),
      apiKeyName: Type.Optional(Name('Default: made from the e-mail address, such as “Ada Test API Key”.')),
      planInfo: Type.Optional(ClosedObject({ type: Type.Optional(Name('Such as `sdk test` or `production`.')) })),
      customPlanInfo: Type.Optional(Type.Boolean({ default: false })),
      customPlanInfoData: Type.Optional(
        Type.Object(
          {},
          { description: 'Any key-value pairs of a custom plan.', additionalProperties: true, freeform: true },
        ),
      ),
      allowedDomains: Type.Optional(
        Type.Array(Domain, {
          description: 'Hosts of the pages that may call with a user token; a leading `*.` stands for any sub-domain.',
          maxItems: LIMITS.domainsMax,
        }),
      ),
      addLocalHostToAllowedDomains: Type.Optional(Type.Boolean({ default: false })),
      useEmailService: Type.Optional(Type.Boolean({ default: false })),
      useWebhookService: Type.Optional(Type.Boolean({ default: false })),
      useNotificationService: Type.Optional(Type.Boolean({ default: false })),
      setDefaultNotificationTriggers: Type.Optional(
        Type.Boolean({
          description:
            'Whether `useNotificationService` also switches on all triggers except those of suggestions. False: every trigger is off.',
          default: true,
        }),
      ),
      setDefaultEmailTriggers: Type.Optional(
        Type.Boolean({
          description: 'Whether `useEmailService` also switches on the same triggers for mails about comments.',
          default: false,
        }),
      ),
      enablePrivateComments: Type.Optional(Type.Boolean({ description: PRIVATE_COMMENTS, default: false })),
      emailServiceConfig: Type.Optional(EmailServiceConfig),
      webhookServiceConfig: Type.Optional(WebhookServiceConfig),
      defaultDocumentAccessType: Type.Optional({
        ...AccessType,
        description:
          'The access type of documents and folders without one of their own: `public` admits every user, `organizationPrivate` members of the organization, `restricted` only users with a grant.',
        default: 'public',
      }),
      defaultAccessRole: Type.Optional({ ...DefaultAccessRole, default: 'editor' }),
      accessRoles: Type.Optional({ ...AccessRoles, default: ['viewer', 'editor'] }),
      workspaceId: Type.Optional(
        Type.String({
          description: 'Accepted only if it equals the workspace of the credentials.',
          minLength: 1,
          maxLength: LIMITS.tokenCharactersMax,
        }),
      ),
      platform: Type.Optional(
        Type.String({ description: 'Accepted without effect.', maxLength: LIMITS.nameCharactersMax }),
      ),
      isSuperWorkspace: Type.Optional(Type.Boolean({ description: 'Accepted without effect.' })),
      requireKnownResources: Type.Optional(
        Type.Boolean({
          description: 'Refuse grants on organizations, folders and documents that were not added.',
          default: false,
        }),
      ),
      requireAutoOrgUser: Type.Optional(Type.Boolean({ description: AUTO_ORG_USER, default: false })),
      requireJwtToken: Type.Optional(Type.Boolean({ description: JWT_TOKEN })),
      persistenceDBRegion: Type.Optional(
        Type.Union([Type.String({ maxLength: LIMITS.nameCharactersMax }), Type.Null()], {
          description:
            'The region that stores the data of the key, one of those that the installation offers. Refused as UNIMPLEMENTED if it offers none.',
        }),
      ),
    },
    { unimplemented: UNIMPLEMENTED_KEY_FIELDS },
  ),
  result: Type.Object({
    apiKey: Type.String(),
    authToken: Type.Optional(Type.String({ description: 'Present when `createAuthToken` was true.' })),
  }),
  success: 'API key created successfully.',
  secret: true,
  warns: true,
  reasons: ['field_not_implemented', 'region_unknown', 'too_many_production_keys'],
  example: { ownerEmail: 'ada@example.com', type: 'testing', createAuthToken: true },
})

export const updateApiKey = operation({
  name: 'api-keys.update',
  path: '/v2/workspace/apikey/update',
  credentials: 'workspace',
  summary: 'Rename an API key',
  description: 'Renames a key.',
  data: ClosedObject({ apiKey: ApiKeyName, apiKeyName: Name('The new name.') }),
  success: 'API key updated successfully.',
  reasons: ['api_key_does_not_exist'],
  example: { apiKey: 'chk_test_example', apiKeyName: 'Staging' },
})

export const getApiKeys = operation({
  name: 'api-keys.get',
  path: '/v2/workspace/apikeys/get',
  credentials: 'workspace',
  summary: 'Get API keys',
  description:
    'Returns the keys of the workspace in id order or by name, only the named ones, or those that a query finds. Names that are not keys of the workspace are ignored.',
  data: ClosedObject({
    apiKeys: Type.Optional(Items(ApiKeyName, 'Only these.')),
    query: Type.Optional(
      Type.String({
        description:
          'Only keys whose name contains this, without regard to case and accents, or whose id begins with it.',
        minLength: 1,
        maxLength: LIMITS.searchQueryCharactersMax,
      }),
    ),
    orderBy: Type.Optional(OrderBy),
    leaveOutUnavailable: Type.Optional(
      Type.Boolean({
        description:
          'Leaves out API keys whose database cannot be reached, with a warning (`keys_unavailable`); otherwise the call fails then.',
        default: false,
      }),
    ),
    pageSize: Type.Optional(
      Type.Integer({ minimum: 1, maximum: LIMITS.keysPageSizeMax, default: LIMITS.keysPageSizeMax }),
    ),
    pageToken: Type.Optional(Type.String({ minLength: 1, maxLength: LIMITS.pageTokenCharactersMax })),
  }),
  result: Type.Array(ApiKeySummary),
  success: 'API keys retrieved successfully.',
  warns: true,
  example: {},
})

export const disableApiKey = operation({
  name: 'api-keys.disable',
  path: '/v2/workspace/apikey/disable',
  credentials: 'workspace',
  summary: 'Disable an API key',
  description:
    'Refuses every call with the key until it is enabled again; mails to its users wait until then, for a day at most. No data is lost, and the workspace can still manage the key.',
  data: ClosedObject({ apiKey: ApiKeyName }),
  success: 'API key disabled successfully.',
  reasons: ['api_key_does_not_exist'],
  example: { apiKey: 'chk_test_example' },
})

export const enableApiKey = operation({
  name: 'api-keys.enable',
  path: '/v2/workspace/apikey/enable',
  credentials: 'workspace',
  summary: 'Enable an API key',
  description: 'Accepts calls with the key again.',
  data: ClosedObject({ apiKey: ApiKeyName }),
  success: 'API key enabled successfully.',
  reasons: ['api_key_does_not_exist'],
  example: { apiKey: 'chk_test_example' },
})

export const deleteApiKey = operation({
  name: 'api-keys.delete',
  path: '/v2/workspace/apikey/delete',
  credentials: 'workspace',
  summary: 'Delete an API key',
  description:
    'Deletes a key with its tokens and all its data: organizations, folders, documents, users, user groups and permissions, all or nothing. This cannot be undone, so `apiKeyName` must be the name of the key. Its events are kept, with their data about users: if that data must be erased too, erase the users first with `users/data/delete`.',
  data: ClosedObject({
    apiKey: ApiKeyName,
    apiKeyName: Name('The name of the key, exactly as `apikeys/get` returns it.'),
  }),
  success: 'API key deleted successfully.',
  reasons: ['api_key_does_not_exist', 'api_key_name_wrong'],
  example: { apiKey: 'chk_test_example', apiKeyName: 'Ada Test API Key' },
})

export const API_KEY_OPERATIONS = [createApiKey, updateApiKey, getApiKeys, disableApiKey, enableApiKey, deleteApiKey]
