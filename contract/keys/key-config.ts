/**
 * `workspace/apikeyconfig/*` (first named `workspace/apikeymetadata/*`): the settings of an API key for access and user
 * tokens, read and changed with its own credentials, and copied with those of its workspace.
 */
import Type from 'typebox'
import { AccessRoles, AccessType, DefaultAccessRole } from '../access/permissions.ts'
import { UserSharing } from '../access/sharing.ts'
import { ClosedObject } from '../core/fields.ts'
import { LIMITS } from '../core/limits.ts'
import { operation } from '../core/operation.ts'
import { ApiKeyName, AUTO_ORG_USER, JWT_TOKEN, PRIVATE_COMMENTS } from './api-keys.ts'

const REQUIRE_KNOWN_RESOURCES = 'Refuse grants on organizations, folders and documents that were not added.'
const EXPIRING_SOON =
  'How long before a grant expires the event `permission.expiring` is emitted; 0: never. A change applies to grants that are added or changed afterwards. A grant that lasts no longer than this gets no such event.'

export const KeyConfig = Type.Object({
  ownerEmail: Type.String(),
  planInfo: Type.Object({
    type: Type.String({ description: 'The plan that was given with the key; without one `sdk test` or `production`.' }),
  }),
  defaultDocumentAccessType: AccessType,
  defaultAccessRole: DefaultAccessRole,
  accessRoles: AccessRoles,
  requireKnownResources: Type.Boolean({ description: REQUIRE_KNOWN_RESOURCES }),
  userTokenLifetimeSeconds: Type.Integer({ description: 'How long a user token is valid.' }),
  expiringSoonSeconds: Type.Integer({ description: EXPIRING_SOON }),
  requireJwtToken: Type.Literal(true, { description: 'Users always call with a signed token.' }),
  requireAutoOrgUser: Type.Boolean({ description: AUTO_ORG_USER }),
  isPrivateCommentsEnabled: Type.Boolean({ description: PRIVATE_COMMENTS }),
  userSharing: UserSharing,
})
export type KeyConfig = Type.Static<typeof KeyConfig>

const changeable = {
  defaultDocumentAccessType: Type.Optional(AccessType),
  defaultAccessRole: Type.Optional(DefaultAccessRole),
  accessRoles: Type.Optional(AccessRoles),
  requireKnownResources: Type.Optional(Type.Boolean({ description: REQUIRE_KNOWN_RESOURCES })),
  requireAutoOrgUser: Type.Optional(Type.Boolean({ description: AUTO_ORG_USER })),
  enablePrivateComments: Type.Optional(Type.Boolean({ description: PRIVATE_COMMENTS })),
  userSharing: Type.Optional(UserSharing),
  userTokenLifetimeSeconds: Type.Optional(
    Type.Integer({
      description: 'How long user tokens are valid that are generated from now on. Initially 172800 (48 hours).',
      minimum: LIMITS.userTokenLifetimeSecondsMin,
      maximum: LIMITS.userTokenLifetimeSecondsMax,
    }),
  ),
  expiringSoonSeconds: Type.Optional(
    Type.Integer({ description: EXPIRING_SOON, minimum: 0, maximum: LIMITS.expiringSoonSecondsMax }),
  ),
}

const DryRun = Type.Optional(
  Type.Boolean({
    description: 'True: nothing is changed, and the response says which documents the default would open.',
    default: false,
  }),
)

export const OpenedByDefault = Type.Object(
  {
    documents: Type.Integer({ description: 'Documents without an access type of their own.' }),
    isComplete: Type.Boolean({ description: '`false`: there may be more documents than were examined.' }),
  },
  {
    description:
      'With `dryRun`, if the call sets the default access type or role and the type would be `public`: what everyone would have access to by the default.',
  },
)

/** The fields that a preview adds to the response. */
const preview = {
  dryRun: Type.Optional(Type.Literal(true, { description: 'Nothing was changed.' })),
  openedByDefault: Type.Optional(OpenedByDefault),
}

export const getKeyConfig = operation({
  name: 'key-config.get',
  path: '/v2/workspace/apikeyconfig/get',
  aliases: ['/v2/workspace/apikeymetadata/get'],
  credentials: 'apiKey',
  scope: 'read',
  summary: 'Get the settings of the API key',
  description: 'Returns the owner and the plan of the key, and its settings for access and user tokens.',
  data: ClosedObject({}),
  result: KeyConfig,
  success: 'API key metadata retrieved successfully.',
  example: {},
})

export const updateKeyConfig = operation({
  name: 'key-config.update',
  path: '/v2/workspace/apikeyconfig/update',
  aliases: ['/v2/workspace/apikeymetadata/update'],
  credentials: 'apiKey',
  scope: 'admin',
  summary: 'Change the settings of the API key',
  description:
    'Changes the given fields, at least one; the others keep their values. Changes apply from the next request. The response repeats the given fields.',
  data: ClosedObject(
    { ...changeable, requireJwtToken: Type.Optional(Type.Boolean({ description: JWT_TOKEN })), dryRun: DryRun },
    { minProperties: 1, unimplemented: ['aiModelApiKey'], narrowing: ['dryRun'] },
  ),
  result: Type.Object({ ...changeable, requireJwtToken: Type.Optional(Type.Literal(true)), ...preview }),
  success: 'API key metadata updated successfully.',
  warns: true,
  reasons: ['field_not_implemented', 'access_role_in_use'],
  example: { defaultDocumentAccessType: 'organizationPrivate' },
})

export const copyKeyConfig = operation({
  name: 'key-config.copy',
  path: '/v2/workspace/apikey/copy',
  credentials: 'workspace',
  summary: 'Copy the settings of one API key to another',
  description:
    'Replaces the settings of the target for access, user tokens, private threads, e-mail, webhooks, the permission provider, notifications and activities with those of the source. Secrets are not copied: a service of the source that has one is switched off in the target, until its secret is set there. Data, tokens, signing keys, allowed domains, signed webhook endpoints, name, owner and plan stay as they are.',
  data: ClosedObject(
    {
      sourceApiKey: { ...ApiKeyName, description: 'The key whose settings are read.' },
      targetApiKey: { ...ApiKeyName, description: 'Another key, whose settings are replaced.' },
      dryRun: DryRun,
    },
    { narrowing: ['dryRun'] },
  ),
  result: Type.Object(preview),
  success: 'API key settings copied successfully.',
  warns: true,
  reasons: ['api_key_does_not_exist', 'access_role_in_use'],
  example: { sourceApiKey: 'chk_test_source', targetApiKey: 'chk_test_example' },
})

export const KEY_CONFIG_OPERATIONS = [getKeyConfig, updateKeyConfig, copyKeyConfig]
