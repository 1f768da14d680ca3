/** The fields of the two basic webhook URLs of an API key. */
import { Stack, Switch } from '@mantine/core'
import type { GetWebhookConfigResult } from '#sdk/generated/operations.ts'
import { UrlField } from '../../components/forms/url-field.tsx'
import { SecretInput } from '../../components/secrets/secret-input.tsx'
import { ALL_TRIGGERS, CommentTriggers } from './comment-triggers.tsx'
import { WrappingFields } from './wrapping-fields.tsx'

export type WebhookConfig = GetWebhookConfigResult
type Service = WebhookConfig['webhookServiceConfig']

/** The settings of a new key. */
export const NEW_WEBHOOK_CONFIG: WebhookConfig = {
  useWebhookService: false,
  webhookServiceConfig: {
    authToken: '',
    rawNotificationUrl: '',
    processedNotificationUrl: '',
    encodeData: false,
    encryptData: false,
    publicKey: '',
    triggers: { comment: {}, huddle: {}, crdt: false, recorder: false },
  },
}

interface WebhookFieldsProps {
  stored: WebhookConfig
  values: WebhookConfig
  onChange: (values: WebhookConfig) => void
}

export function WebhookFields({ stored, values, onChange }: WebhookFieldsProps) {
  const service = values.webhookServiceConfig
  const change = (fields: Partial<Service>) => onChange({ ...values, webhookServiceConfig: { ...service, ...fields } })
  return (
    <Stack gap="md">
      <Switch
        label="Send webhooks to the URLs below"
        checked={values.useWebhookService}
        onChange={({ currentTarget }) => onChange({ ...values, useWebhookService: currentTarget.checked })}
      />
      <UrlField
        label="URL for raw notifications"
        description="Receives each event in the form in which it is stored, and comments as the hosted original sends them."
        value={service.rawNotificationUrl}
        onChange={(rawNotificationUrl) => change({ rawNotificationUrl })}
      />
      <UrlField
        label="URL for processed notifications"
        description="Receives each event with names and a sentence filled in, and comments likewise."
        value={service.processedNotificationUrl}
        onChange={(processedNotificationUrl) => change({ processedNotificationUrl })}
      />
      <SecretInput
        label="Receiver’s token"
        description="Sent as Authorization: Basic. Stored encrypted and shown masked."
        stored={stored.webhookServiceConfig.authToken}
        value={service.authToken}
        onChange={(authToken) => change({ authToken })}
      />
      <WrappingFields values={service} onChange={change} />
      <CommentTriggers
        legend="Of comments, also to signed endpoints"
        words={ALL_TRIGGERS}
        triggers={service.triggers.comment}
        unset={false}
        onChange={(comment) => change({ triggers: { ...service.triggers, comment } })}
      />
    </Stack>
  )
}
