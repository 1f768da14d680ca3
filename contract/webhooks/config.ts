/** `workspace/advancedwebhookconfig/*`: the settings of the signed webhooks of an API key. */
import Type from 'typebox'
import { ClosedObject } from '../core/fields.ts'
import { LIMITS } from '../core/limits.ts'
import { operation } from '../core/operation.ts'

export const PublicKey = Type.String({
  description:
    'An RSA key of at least 2048 bits: the base64 text of its PEM, without the first and last line. Empty if there is none.',
  maxLength: LIMITS.secretCharactersMax,
})
export const ENCODE_DATA = 'Send `{ encodedPayload }`: the payload as base64.'
export const ENCRYPT_DATA =
  'Send `{ encryptedData, encryptedKey, iv }`, each as base64: the payload encrypted with AES-256-CBC, and its key encrypted under `publicKey` with RSA-OAEP and SHA-256. Together with `encodeData`, `{ encodedPayload }` is encrypted.'

const switches = {
  isEnabled: Type.Optional(
    Type.Boolean({
      description: 'When off, nothing is sent, waiting messages are dropped, and endpoints cannot be managed.',
    }),
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
  enableDataProtection: Type.Boolean({ description: 'Always false: Commonhold does not have this feature.' }),
})
export type WebhookSettings = Type.Static<typeof WebhookSettings>

export const getAdvancedWebhookConfig = operation({
  name: 'advanced-webhook-config.get',
  path: '/v2/workspace/advancedwebhookconfig/get',
  credentials: 'apiKey',
  scope: 'admin',
  summary: 'Get the settings of signed webhooks',
  description: 'Returns whether signed endpoints are switched on, and how payloads are encoded or encrypted for them.',
  data: ClosedObject({}),
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
    'Changes the given fields, at least one; the others keep their values. The first call must have `isEnabled: true`. Returns all settings as they are now.',
  data: ClosedObject(switches, { minProperties: 1, unimplemented: ['enableDataProtection'] }),
  result: WebhookSettings,
  success: 'Advanced webhook settings updated successfully.',
  reasons: ['advanced_webhooks_disabled', 'field_not_implemented'],
  example: { isEnabled: true },
})

export const ADVANCED_WEBHOOK_CONFIG_OPERATIONS = [getAdvancedWebhookConfig, updateAdvancedWebhookConfig]
