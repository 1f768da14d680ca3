/** The webhook settings of an API key: signed endpoints and the two basic URLs. */
import { Skeleton, Stack, Switch } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQuery } from '@tanstack/react-query'
import type { WebhookSettings } from '#sdk/generated/operations.ts'
import { Failure } from '../../components/feedback/failure.tsx'
import { SettingsForm } from '../../components/forms/settings-form.tsx'
import { useSettings } from '../../components/forms/use-settings.ts'
import { AnchorLink } from '../../links/links.tsx'
import {
  advancedWebhookConfigQuery,
  updateAdvancedWebhookConfig,
  updateWebhookConfig,
  webhookConfigQuery,
} from '../../queries/keys/webhooks.ts'
import { useKey } from '../../session/use-session.ts'
import { type WebhookConfig, WebhookFields } from '../keys/webhook-fields.tsx'
import { WrappingFields } from '../keys/wrapping-fields.tsx'

export function WebhookSettingsView() {
  const key = useKey()
  const basic = useQuery(webhookConfigQuery(key))
  const signed = useQuery(advancedWebhookConfigQuery(key))
  const error = basic.error ?? signed.error
  if (error !== null && (basic.data === undefined || signed.data === undefined)) return <Failure error={error} />
  if (basic.data === undefined || signed.data === undefined) return <Skeleton height={480} />
  const { enableDataProtection: _none, ...changeable } = signed.data
  return (
    <Stack gap="md">
      <SignedForm stored={changeable} />
      <BasicForm stored={basic.data} />
    </Stack>
  )
}

function SignedForm({ stored }: { stored: Omit<WebhookSettings, 'enableDataProtection'> }) {
  const key = useKey()
  const { values, set, form } = useSettings(stored, updateAdvancedWebhookConfig(key), () =>
    notifications.show({ message: 'The settings of signed endpoints were saved.' }),
  )
  return (
    <SettingsForm
      needs="advanced-webhook-config.update"
      title="Signed endpoints"
      intro={
        <>
          Up to 500 endpoints, each with filters and a secret that signs its messages. Manage them under{' '}
          <AnchorLink size="sm" underline="always" to="/keys/$apiKey/webhooks" params={{ apiKey: key.id }}>
            Webhooks
          </AnchorLink>
          .
        </>
      }
      {...form}
    >
      <Switch
        label="Send to signed endpoints"
        description="While this is off, nothing is sent, waiting messages are dropped, and endpoints cannot be managed."
        checked={values.isEnabled}
        onChange={({ currentTarget }) => set({ ...values, isEnabled: currentTarget.checked })}
      />
      <WrappingFields values={values} onChange={(fields) => set({ ...values, ...fields })} />
    </SettingsForm>
  )
}

function BasicForm({ stored }: { stored: WebhookConfig }) {
  const key = useKey()
  const { values, set, form } = useSettings(stored, updateWebhookConfig(key), () =>
    notifications.show({ message: 'The webhook settings were saved.' }),
  )
  return (
    <SettingsForm
      needs="webhook-config.update"
      title="Basic URLs"
      intro="One URL for all events as they are stored, and one for events with names filled in. Both use a fixed token instead of signatures."
      {...form}
    >
      <WebhookFields stored={stored} values={values} onChange={set} />
    </SettingsForm>
  )
}
