/** `workspace/apikeyconfig/*`: settings of an API key that decide about access and user tokens, read and changed with its own credentials. */
import Type from 'typebox'
import { LIMITS } from './limits.ts'
import { operation } from './operation.ts'
import { AccessType } from './permissions.ts'

const REQUIRE_KNOWN_RESOURCES = 'Refuse grants on organizations, folders and documents that were not added.'
const EXPIRING_SOON =
  'How long before its end a grant gets the event `permission.expiring`; 0: no such events. It holds for grants that are given or changed from now on; one that is given for less than that time gets none.'

export const KeyConfig = Type.Object({
  ownerEmail: Type.String(),
  planInfo: Type.Object({ type: Type.Optional(Type.String()) }),
  defaultDocumentAccessType: AccessType,
  requireKnownResources: Type.Boolean({ description: REQUIRE_KNOWN_RESOURCES }),
  userTokenLifetimeSeconds: Type.Integer({ description: 'How long a user token identifies.' }),
  expiringSoonSeconds: Type.Integer({ description: EXPIRING_SOON }),
})
export type KeyConfig = Type.Static<typeof KeyConfig>

const changeable = {
  defaultDocumentAccessType: Type.Optional(AccessType),
  requireKnownResources: Type.Optional(Type.Boolean({ description: REQUIRE_KNOWN_RESOURCES })),
  userTokenLifetimeSeconds: Type.Optional(
    Type.Integer({
      description: 'How long user tokens identify that are generated from now on. At first 172800: 48 hours.',
      minimum: LIMITS.userTokenLifetimeSecondsMin,
      maximum: LIMITS.userTokenLifetimeSecondsMax,
    }),
  ),
  expiringSoonSeconds: Type.Optional(
    Type.Integer({ description: EXPIRING_SOON, minimum: 0, maximum: LIMITS.expiringSoonSecondsMax }),
  ),
}

export const getKeyConfig = operation({
  name: 'key-config.get',
  path: '/v2/workspace/apikeyconfig/get',
  credentials: 'apiKey',
  scope: 'read',
  summary: 'Get the settings of the API key',
  description: 'Who owns the key, its plan, and the settings that decide about access and user tokens.',
  data: Type.Object({}, { additionalProperties: false }),
  result: KeyConfig,
  success: 'API key metadata retrieved successfully.',
  example: {},
})

export const updateKeyConfig = operation({
  name: 'key-config.update',
  path: '/v2/workspace/apikeyconfig/update',
  credentials: 'apiKey',
  scope: 'admin',
  summary: 'Change the settings of the API key',
  description:
    'Changes the fields given, at least one; the others stay. They count with the next request. The answer repeats the fields given.',
  data: Type.Object(changeable, {
    additionalProperties: false,
    minProperties: 1,
    unimplemented: ['enablePrivateComments', 'requireJwtToken', 'requireAutoOrgUser', 'aiModelApiKey'],
  }),
  result: Type.Object(changeable),
  success: 'API key metadata updated successfully.',
  reasons: ['field_not_implemented'],
  example: { defaultDocumentAccessType: 'organizationPrivate' },
})
