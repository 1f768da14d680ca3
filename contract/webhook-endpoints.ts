/** `workspace/advancedwebhookconfig/*` and `workspace/advancedwebhook/endpoints/*`: signed webhook endpoints of an API key. */
import Type from 'typebox'
import { LIMITS } from './limits.ts'
import { operation } from './operation.ts'

const none = Type.Object({}, { additionalProperties: false })

export const PublicKey = Type.String({
  description:
    'RSA, at least 2048 bit: the base64 text of its PEM, without the lines around it. Empty where there is none.',
  maxLength: LIMITS.secretCharactersMax,
})
export const ENCODE_DATA = 'Send `{ encodedPayload }`: the payload as base64.'
export const ENCRYPT_DATA =
  'Send `{ encryptedData, encryptedKey, iv }`, each as base64: the payload by AES-256-CBC, and the key of that by RSA-OAEP with SHA-256 under `publicKey`. With `encodeData` too, what is encrypted is `{ encodedPayload }`.'

const switches = {
  isEnabled: Type.Optional(
    Type.Boolean({ description: 'Off: nothing is sent, what waits is dropped, and endpoints cannot be managed.' }),
  ),
  encodeData: Type.Optional(Type.Boolean({ description: ENCODE_DATA })),
  encryptData: Type.Optional(Type.Boolean({ description: ENCRYPT_DATA })),
  publicKey: Type.Optional(PublicKey),
}

export const WebhookSettings = Type.Object({
  isEnabled: Type.Boolean(),
  encodeData: Type.Boolean(),
  encryptData: Type.Boolean(),
  publicKey: Type.String(),
  enableDataProtection: Type.Boolean({ description: 'Always false: a feature that Commonhold does not have.' }),
})
export type WebhookSettings = Type.Static<typeof WebhookSettings>

export const getAdvancedWebhookConfig = operation({
  name: 'advanced-webhook-config.get',
  path: '/v2/workspace/advancedwebhookconfig/get',
  credentials: 'apiKey',
  scope: 'admin',
  summary: 'Get the settings of signed webhooks',
  description: 'Whether signed endpoints are switched on, and how payloads are wrapped for them.',
  data: none,
  result: WebhookSettings,
  success: 'Advanced webhook settings retrieved successfully.',
  example: {},
})

export const updateAdvancedWebhookConfig = operation({
  name: 'advanced-webhook-config.update',
  path: '/v2/workspace/advancedwebhookconfig/update',
  credentials: 'apiKey',
  scope: 'admin',
  summary: 'Change the settings of signed webhooks',
  description:
    'Changes the fields given, at least one; the others stay. The first call ever must have `isEnabled: true`. Answers all of them as they are now.',
  data: Type.Object(switches, {
    additionalProperties: false,
    minProperties: 1,
    unimplemented: ['enableDataProtection'],
  }),
  result: WebhookSettings,
  success: 'Advanced webhook settings updated successfully.',
  reasons: ['advanced_webhooks_disabled', 'field_not_implemented'],
  example: { isEnabled: true },
})

export const EndpointId = Type.String({
  description: 'The id of the endpoint.',
  minLength: 1,
  maxLength: LIMITS.idCharactersMax,
})

const orNull = <Schema extends Type.TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])

const Url = Type.String({
  description:
    'Where to send. Not an address inside, unless the operator has opened that (`WEBHOOK_ALLOW_PRIVATE`), and without a user name or password.',
  minLength: 1,
  maxLength: LIMITS.urlCharactersMax,
  pattern: '^https?://\\S+$',
  says: 'be an http or https URL',
})
const Description = Type.String({ maxLength: LIMITS.nameCharactersMax })
const FilterTypes = Type.Array(
  Type.String({
    minLength: 1,
    maxLength: LIMITS.eventTypeCharactersMax,
    pattern: '^[A-Za-z0-9._-]+$',
    says: 'be a type of event, such as permission.added',
  }),
  {
    description: 'Only events of these types, such as `permission.added`. Absent: all.',
    minItems: 1,
    maxItems: LIMITS.filterTypesMax,
  },
)
const Channels = Type.Array(Type.String({ minLength: 1, maxLength: LIMITS.idCharactersMax }), {
  description: 'Only events of these organizations, by `organizationId`. Absent: all, and those outside organizations.',
  minItems: 1,
  maxItems: LIMITS.channelsMax,
})
const Disabled = Type.Boolean({ description: 'Nothing is sent, and what waits is dropped.', default: false })
const RateLimit = Type.Integer({
  description: 'The most messages a second.',
  minimum: 1,
  maximum: LIMITS.webhookRateLimitMax,
})
const Metadata = Type.Object(
  {},
  { description: 'Texts by name, for the caller. Stored, not echoed.', additionalProperties: true, freeform: true },
)

export const WebhookEndpoint = Type.Object({
  id: Type.String(),
  url: Type.String(),
  description: orNull(Type.String()),
  filterTypes: orNull(Type.Array(Type.String())),
  channels: orNull(Type.Array(Type.String())),
  disabled: Type.Boolean({ description: 'By a call, or because it has failed for five days, or answered 410.' }),
  rateLimit: orNull(Type.Integer()),
  uid: orNull(Type.String()),
  createdAt: Type.String({ description: 'ISO 8601, UTC.' }),
  updatedAt: Type.String({ description: 'ISO 8601, UTC.' }),
})
export type WebhookEndpoint = Type.Static<typeof WebhookEndpoint>

const OFF = 'advanced_webhooks_disabled'

export const createWebhookEndpoint = operation({
  name: 'webhook-endpoints.create',
  path: '/v2/workspace/advancedwebhook/endpoints/create',
  credentials: 'apiKey',
  scope: 'admin',
  summary: 'Create a signed webhook endpoint',
  description: `Sends events to a URL from now on, signed with a secret that \`secret/get\` answers. A key can have ${LIMITS.webhookEndpointsPerKeyMax}.`,
  data: Type.Object(
    {
      url: Url,
      description: Type.Optional(Description),
      filterTypes: Type.Optional(FilterTypes),
      channels: Type.Optional(Channels),
      disabled: Type.Optional(Disabled),
      rateLimit: Type.Optional(RateLimit),
      uid: Type.Optional(
        Type.String({
          description: "The caller's own id of the endpoint, unique for the API key.",
          minLength: 1,
          maxLength: LIMITS.idCharactersMax,
        }),
      ),
      metadata: Type.Optional(Metadata),
    },
    { additionalProperties: false },
  ),
  result: WebhookEndpoint,
  success: 'Webhook endpoint created successfully.',
  reasons: [OFF, 'too_many_webhook_endpoints', 'webhook_endpoint_uid_taken'],
  example: { url: 'https://example.com/webhooks', filterTypes: ['permission.added', 'permission.removed'] },
})

const Iterator = (description: string) => orNull(Type.String({ description }))

export const getWebhookEndpoints = operation({
  name: 'webhook-endpoints.get',
  path: '/v2/workspace/advancedwebhook/endpoints/get',
  credentials: 'apiKey',
  scope: 'admin',
  summary: 'Get signed webhook endpoints',
  description: 'The endpoints of the API key in id order, page by page.',
  data: Type.Object(
    {
      limit: Type.Optional(
        Type.Integer({
          description: 'Endpoints on a page.',
          minimum: 1,
          maximum: LIMITS.webhookEndpointsPageSizeMax,
          default: LIMITS.webhookEndpointsPageSizeMax,
        }),
      ),
      iterator: Type.Optional(
        Type.String({
          description: '`iterator` or `prevIterator` of another page.',
          minLength: 1,
          maxLength: LIMITS.pageTokenCharactersMax,
        }),
      ),
    },
    { additionalProperties: false },
  ),
  result: Type.Object({
    endpoints: Type.Array(WebhookEndpoint),
    iterator: Iterator('Leads to the next page; null on the last one.'),
    prevIterator: Iterator('Leads to the page before; null on the first one.'),
    done: Type.Boolean({ description: 'This is the last page.' }),
  }),
  success: 'Webhook endpoints retrieved successfully.',
  reasons: [OFF],
  example: {},
})

export const updateWebhookEndpoint = operation({
  name: 'webhook-endpoints.update',
  path: '/v2/workspace/advancedwebhook/endpoints/update',
  credentials: 'apiKey',
  scope: 'admin',
  summary: 'Change a signed webhook endpoint',
  description:
    'Changes the fields given, at least one beside `endpointId`; the others stay. Null clears a field: with `filterTypes` or `channels` null all events are sent again. `disabled: false` enables an endpoint that was disabled for its failures.',
  data: Type.Object(
    {
      endpointId: EndpointId,
      url: Type.Optional(Url),
      description: Type.Optional(orNull(Description)),
      filterTypes: Type.Optional(orNull(FilterTypes)),
      channels: Type.Optional(orNull(Channels)),
      disabled: Type.Optional(Disabled),
      rateLimit: Type.Optional(orNull(RateLimit)),
      metadata: Type.Optional(Metadata),
    },
    { additionalProperties: false },
  ),
  result: WebhookEndpoint,
  success: 'Webhook endpoint updated successfully.',
  reasons: [OFF, 'webhook_endpoint_does_not_exist'],
  example: { endpointId: 'ep_2cGa0vdVMEH0VVi6zLqxBKFZxS1', description: 'Search index' },
})

export const deleteWebhookEndpoint = operation({
  name: 'webhook-endpoints.delete',
  path: '/v2/workspace/advancedwebhook/endpoints/delete',
  credentials: 'apiKey',
  scope: 'admin',
  summary: 'Delete a signed webhook endpoint',
  description: 'Nothing is sent to it any more, its log is gone, and its secret with it.',
  data: Type.Object({ endpointId: EndpointId }, { additionalProperties: false }),
  result: Type.Object({ endpointId: Type.String(), deleted: Type.Boolean() }),
  success: 'Webhook endpoint deleted successfully.',
  reasons: [OFF, 'webhook_endpoint_does_not_exist'],
  example: { endpointId: 'ep_2cGa0vdVMEH0VVi6zLqxBKFZxS1' },
})

const Secret = Type.String({ description: '`whsec_` and the base64 of the bytes that sign.' })

export const getWebhookSecret = operation({
  name: 'webhook-secrets.get',
  path: '/v2/workspace/advancedwebhook/endpoints/secret/get',
  credentials: 'apiKey',
  scope: 'admin',
  summary: 'Get the secret of a signed webhook endpoint',
  description: 'What its messages are signed with, in clear: a receiver verifies with it.',
  data: Type.Object({ endpointId: EndpointId }, { additionalProperties: false }),
  result: Type.Object({ endpointId: Type.String(), secret: Secret }),
  success: 'Webhook endpoint secret retrieved successfully.',
  reasons: [OFF, 'webhook_endpoint_does_not_exist'],
  example: { endpointId: 'ep_2cGa0vdVMEH0VVi6zLqxBKFZxS1' },
})

export const rotateWebhookSecret = operation({
  name: 'webhook-secrets.rotate',
  path: '/v2/workspace/advancedwebhook/endpoints/secret/rotate',
  credentials: 'apiKey',
  scope: 'admin',
  summary: 'Rotate the secret of a signed webhook endpoint',
  description:
    'Makes a new secret. Until the grace period is over messages carry a signature of each, so that a receiver can change over in its own time. The secret before the last ends at once.',
  data: Type.Object(
    {
      endpointId: EndpointId,
      gracePeriodSeconds: Type.Optional(
        Type.Integer({
          description: 'How long the secret until now signs too.',
          minimum: 0,
          maximum: LIMITS.gracePeriodSecondsMax,
          default: 86_400,
        }),
      ),
    },
    { additionalProperties: false },
  ),
  result: Type.Object({ endpointId: Type.String(), secret: Secret }),
  success: 'Webhook endpoint secret rotated successfully.',
  reasons: [OFF, 'webhook_endpoint_does_not_exist'],
  example: { endpointId: 'ep_2cGa0vdVMEH0VVi6zLqxBKFZxS1' },
})
