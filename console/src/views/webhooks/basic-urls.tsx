/** The two basic URLs from the settings, which have a log like endpoints. */
import { Paper, Table, Text } from '@mantine/core'
import type { GetWebhookConfigResult } from '#sdk/generated/operations.ts'
import { EmptyState } from '../../components/feedback/empty-state.tsx'
import { Section } from '../../components/page/section.tsx'
import { Id } from '../../components/values/id.tsx'
import { AnchorLink, ButtonLink } from '../../links/links.tsx'
import { useKey } from '../../session/use-session.ts'

/** Labels by endpoint id. */
export const BASIC: Readonly<Record<string, string>> = {
  raw: 'Raw notifications',
  processed: 'Processed notifications',
}

export const isBasic = (endpointId: string): boolean => Object.hasOwn(BASIC, endpointId)

/** Returns the URL; empty when it is not set. */
export const basicUrl = ({ webhookServiceConfig }: GetWebhookConfigResult, endpointId: string): string =>
  endpointId === 'raw' ? webhookServiceConfig.rawNotificationUrl : webhookServiceConfig.processedNotificationUrl

export function BasicUrls({ config }: { config: GetWebhookConfigResult }) {
  const { id: apiKey } = useKey()
  const set = Object.entries(BASIC).filter(([endpointId]) => basicUrl(config, endpointId) !== '')
  if (set.length === 0) return null
  return (
    <Section
      title="Basic URLs"
      intro={
        config.useWebhookService
          ? 'They receive every event, with a fixed token instead of signatures.'
          : 'They are turned off in the settings of the key: nothing is sent to them.'
      }
    >
      <Table layout="fixed" aria-label="Basic URLs">
        <Table.Tbody>
          {set.map(([endpointId, label]) => (
            <Table.Tr key={endpointId}>
              <Table.Td w={190}>
                <AnchorLink size="sm" to="/keys/$apiKey/webhooks/$endpointId" params={{ apiKey, endpointId }}>
                  {label}
                </AnchorLink>
              </Table.Td>
              <Table.Td>
                <Id copy={false}>{basicUrl(config, endpointId)}</Id>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Section>
  )
}

/** Shows one of the URLs above its log. */
export function BasicUrlSection({ config, endpointId }: { config: GetWebhookConfigResult; endpointId: string }) {
  const { id: apiKey } = useKey()
  return (
    <Section
      title="URL"
      intro="It receives every event, with the token of the receiver instead of a signature."
      actions={
        <ButtonLink variant="default" to="/keys/$apiKey/settings/webhooks" params={{ apiKey }}>
          Change in settings
        </ButtonLink>
      }
    >
      <Text size="sm" component="div" miw={0}>
        <Id>{basicUrl(config, endpointId)}</Id>
      </Text>
    </Section>
  )
}

export function NoBasicUrl() {
  const { id: apiKey } = useKey()
  return (
    <Paper withBorder>
      <EmptyState
        title="No URL set"
        action={
          <ButtonLink to="/keys/$apiKey/settings/webhooks" params={{ apiKey }}>
            Set URL
          </ButtonLink>
        }
      >
        Set a URL in the settings of the key to send events to it. The attempts are then listed here.
      </EmptyState>
    </Paper>
  )
}
