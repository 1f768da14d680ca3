/** `workspace/advancedwebhook/endpoints/*`: signed webhook endpoints of an API key. */
import Type from 'typebox'
import { ClosedObject } from '../core/fields.ts'
import { LIMITS } from '../core/limits.ts'
import { operation } from '../core/operation.ts'
import { WebhookHealth } from './health.ts'

export const EndpointId = Type.String({
  description: 'The id of the endpoint.',
  minLength: 1,
  maxLength: LIMITS.idCharactersMax,
})

const orNull = <Schema extends Type.TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])

const Url = Type.String({
  description:
    'Where messages are sent, without a user name or password. Private addresses are refused unless the operator allows them (`WEBHOOK_ALLOW_PRIVATE`).',
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
    says: 'be one type of event, such as permission.added; only lists of events take families such as permission.*',
  }),
  {
    description:
      'Only events of these types, such as `permission.added`; families such as `permission.*` are refused. Absent: all types.',
    minItems: 1,
    maxItems: LIMITS.filterTypesMax,
  },
)
const Channels = Type.Array(Type.String({ minLength: 1, maxLength: LIMITS.idCharactersMax }), {
  description:
    'Only events of these organizations, by `organizationId`. Absent: all events, including those outside organizations.',
  minItems: 1,
  maxItems: LIMITS.channelsMax,
})
const Disabled = Type.Boolean({
  description: 'While true, nothing is sent; waiting messages are dropped.',
  default: false,
})
const RateLimit = Type.Integer({
  description: 'How many messages per second are sent on average. In a single second there can be up to twice as many.',
  minimum: 1,
  maximum: LIMITS.webhookRateLimitMax,
})
const Metadata = Type.Object(
  {},
  {
    description: 'Strings by name, for the caller. They are stored, but not returned.',
    additionalProperties: true,
    freeform: true,
  },
)

export const WebhookEndpoint = Type.Object({
  id: Type.String(),
  url: Type.String(),
  description: orNull(Type.String()),
  filterTypes: orNull(Type.Array(Type.String())),
  channels: orNull(Type.Array(Type.String())),
  disabled: Type.Boolean({
    description: 'Disabled by a call, or because it has failed for five days, or because it responded with 410.',
  }),
  rateLimit: orNull(Type.Integer()),
  uid: orNull(Type.String()),
  createdAt: Type.String({ description: 'ISO 8601, UTC.' }),
  updatedAt: Type.String({ description: 'ISO 8601, UTC.' }),
})
export type WebhookEndpoint = Type.Static<typeof WebhookEndpoint>

export const ListedWebhookEndpoint = Type.Object({ ...WebhookEndpoint.properties, health: WebhookHealth })
export type ListedWebhookEndpoint = Type.Static<typeof ListedWebhookEndpoint>

const OFF = 'advanced_webhooks_disabled'

export const createWebhookEndpoint = operation({
  name: 'webhook-endpoints.create',
  path: '/v2/workspace/advancedwebhook/endpoints/create',
  credentials: 'apiKey',
  scope: 'admin',
  summary: 'Create a signed webhook endpoint',
  description: `Sends events to a URL from now on, signed with a secret that \`secret/get\` returns. A key can have ${LIMITS.webhookEndpointsPerKeyMax} endpoints.`,
  data: ClosedObject({
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
  }),
  result: WebhookEndpoint,
  success: 'Webhook endpoint created successfully.',
  warns: true,
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
  description: 'Returns the endpoints of the API key in id order, page by page, each with its health.',
  data: ClosedObject({
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
        description: '`iterator` or `prevIterator` of another page. Absent: the first page.',
        minLength: 1,
        maxLength: LIMITS.pageTokenCharactersMax,
      }),
    ),
  }),
  result: Type.Object({
    endpoints: Type.Array(ListedWebhookEndpoint),
    iterator: Iterator('The next page; null on the last page.'),
    prevIterator: Iterator('The previous page; null on the first page.'),
    done: Type.Boolean({ description: 'True on the last page.' }),
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
    'Changes the given fields, at least one in addition to `endpointId`; the others keep their values. Null clears a field: without `filterTypes` and `channels` all events are sent. `disabled: false` enables an endpoint that was disabled after its failures.',
  data: ClosedObject({
    endpointId: EndpointId,
    url: Type.Optional(Url),
    description: Type.Optional(orNull(Description)),
    filterTypes: Type.Optional(orNull(FilterTypes)),
    channels: Type.Optional(orNull(Channels)),
    disabled: Type.Optional(Disabled),
    rateLimit: Type.Optional(orNull(RateLimit)),
    metadata: Type.Optional(Metadata),
  }),
  result: WebhookEndpoint,
  success: 'Webhook endpoint updated successfully.',
  warns: true,
  reasons: [OFF, 'webhook_endpoint_does_not_exist'],
  example: { endpointId: 'ep_2cGa0vdVMEH0VVi6zLqxBKFZxS1', description: 'Search index' },
})

export const deleteWebhookEndpoint = operation({
  name: 'webhook-endpoints.delete',
  path: '/v2/workspace/advancedwebhook/endpoints/delete',
  credentials: 'apiKey',
  scope: 'admin',
  summary: 'Delete a signed webhook endpoint',
  description: 'Deletes an endpoint with its log and its secret. Nothing more is sent to it.',
  data: ClosedObject({ endpointId: EndpointId }),
  result: Type.Object({ endpointId: Type.String(), deleted: Type.Boolean() }),
  success: 'Webhook endpoint deleted successfully.',
  reasons: [OFF, 'webhook_endpoint_does_not_exist'],
  example: { endpointId: 'ep_2cGa0vdVMEH0VVi6zLqxBKFZxS1' },
})

export const WEBHOOK_ENDPOINT_OPERATIONS = [
  createWebhookEndpoint,
  getWebhookEndpoints,
  updateWebhookEndpoint,
  deleteWebhookEndpoint,
]
