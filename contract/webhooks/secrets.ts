/** `workspace/advancedwebhook/endpoints/secret/*`: the secrets that sign the messages of webhook endpoints. */
import Type from 'typebox'
import { ClosedObject } from '../core/fields.ts'
import { LIMITS } from '../core/limits.ts'
import { operation } from '../core/operation.ts'
import { EndpointId } from './endpoints.ts'

export const WebhookSecret = Type.Object({
  endpointId: Type.String(),
  secret: Type.String({ description: '`whsec_` followed by the signing key as base64.' }),
})

export const getWebhookSecret = operation({
  name: 'webhook-secrets.get',
  path: '/v2/workspace/advancedwebhook/endpoints/secret/get',
  credentials: 'apiKey',
  scope: 'admin',
  summary: 'Get the secret of a signed webhook endpoint',
  description: 'Returns the secret that signs the messages, in clear. A receiver verifies messages with it.',
  data: ClosedObject({ endpointId: EndpointId }),
  result: WebhookSecret,
  success: 'Webhook endpoint secret retrieved successfully.',
  secret: true,
  reasons: ['advanced_webhooks_disabled', 'webhook_endpoint_does_not_exist'],
  example: { endpointId: 'ep_2cGa0vdVMEH0VVi6zLqxBKFZxS1' },
})

export const rotateWebhookSecret = operation({
  name: 'webhook-secrets.rotate',
  path: '/v2/workspace/advancedwebhook/endpoints/secret/rotate',
  credentials: 'apiKey',
  scope: 'admin',
  summary: 'Rotate the secret of a signed webhook endpoint',
  description:
    'Creates a new secret. Until the grace period ends, messages are signed with both secrets, so that a receiver can change over at any time. A secret that was replaced by an earlier rotation stops signing at once.',
  data: ClosedObject({
    endpointId: EndpointId,
    gracePeriodSeconds: Type.Optional(
      Type.Integer({
        description: 'How long the previous secret also signs.',
        minimum: 0,
        maximum: LIMITS.gracePeriodSecondsMax,
        default: 86_400,
      }),
    ),
  }),
  result: WebhookSecret,
  success: 'Webhook endpoint secret rotated successfully.',
  secret: true,
  reasons: ['advanced_webhooks_disabled', 'webhook_endpoint_does_not_exist'],
  example: { endpointId: 'ep_2cGa0vdVMEH0VVi6zLqxBKFZxS1' },
})

export const WEBHOOK_SECRET_OPERATIONS = [getWebhookSecret, rotateWebhookSecret]
