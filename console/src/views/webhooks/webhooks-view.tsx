/** The webhooks of an API key: signed endpoints, and the basic URLs from the settings. */
import { Paper, Skeleton, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { EmptyState } from '../../components/feedback/empty-state.tsx'
import { Failure, notifyFailure } from '../../components/feedback/failure.tsx'
import { Page } from '../../components/page/page.tsx'
import { PermittedButton } from '../../components/permitted/permitted-button.tsx'
import { AnchorLink } from '../../links/links.tsx'
import { updateAdvancedWebhookConfig, webhookConfigQuery, webhookEndpointsQuery } from '../../queries/keys/webhooks.ts'
import { useKey } from '../../session/use-session.ts'
import { BasicUrls } from './basic-urls.tsx'
import { EndpointForm } from './endpoint-form.tsx'
import { EndpointTable } from './endpoint-table.tsx'

export function WebhooksView() {
  const key = useKey()
  const { data: endpoints, error } = useQuery(webhookEndpointsQuery(key))
  const { data: basic } = useQuery(webhookConfigQuery(key))
  const [adding, { open: add, close: closeAdding }] = useDisclosure()
  const addButton = (
    <PermittedButton needs="webhook-endpoints.create" leftSection={<IconPlus size={16} aria-hidden />} onClick={add}>
      Add endpoint
    </PermittedButton>
  )
  return (
    <Page
      title="Webhooks"
      intro="Events are sent to these URLs as they happen, retried when they fail, and can be replayed."
      actions={endpoints && addButton}
    >
      {error !== null && <Failure error={error} />}
      {endpoints === undefined && error === null && <Skeleton height={200} />}
      {endpoints === null && <SwitchedOff />}
      {endpoints?.length === 0 && (
        <Paper withBorder>
          <EmptyState title="No endpoints yet" action={addButton}>
            Add the URL of a program that should receive events. Messages are signed, so that it can verify their
            origin.
          </EmptyState>
        </Paper>
      )}
      {endpoints && endpoints.length > 0 && <EndpointTable endpoints={endpoints} />}
      {basic !== undefined && <BasicUrls config={basic} />}
      <Text size="sm" c="dimmed">
        Payload encoding, encryption and the basic URLs are in the{' '}
        <AnchorLink size="sm" underline="always" to="/keys/$apiKey/settings/webhooks" params={{ apiKey: key.id }}>
          settings of the key
        </AnchorLink>
        .
      </Text>
      {adding && <EndpointForm onClose={closeAdding} />}
    </Page>
  )
}

function SwitchedOff() {
  const key = useKey()
  const switchOn = useMutation({ ...updateAdvancedWebhookConfig(key), onError: notifyFailure })
  return (
    <Paper withBorder>
      <Stack gap="xs">
        <EmptyState
          title="Signed endpoints are turned off"
          primary
          action={
            <PermittedButton
              needs="advanced-webhook-config.update"
              loading={switchOn.isPending}
              onClick={() => switchOn.mutate({ isEnabled: true })}
            >
              Turn on{' '}
            </PermittedButton>
          }
        >
          Turn them on to add URLs that receive events. Nothing is sent until you add one.
        </EmptyState>
      </Stack>
    </Paper>
  )
}
