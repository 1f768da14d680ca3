/** The basic URLs of the settings, which have a log like endpoints. */
import { Group, Stack, Text } from '@mantine/core'
import type { GetWebhookConfigResult } from '#sdk/generated/operations.ts'
import { Id } from '../../components/id.tsx'
import { Section } from '../../components/section.tsx'
import { useKey } from '../../session/use-session.ts'
import { AnchorLink } from '../../shell/links.tsx'

export function BasicUrls({ service }: { service: GetWebhookConfigResult['webhookServiceConfig'] }) {
  const { id: apiKey } = useKey()
  const urls = [
    ['raw', 'Raw notifications', service.rawNotificationUrl],
    ['processed', 'Processed notifications', service.processedNotificationUrl],
  ].filter(([, , url]) => url !== '')
  if (urls.length === 0) return null
  return (
    <Section title="Basic URLs">
      <Stack gap="xs">
        {urls.map(([endpointId = '', label, url = '']) => (
          <Group key={endpointId} gap="md">
            <AnchorLink size="sm" to="/keys/$apiKey/webhooks/$endpointId" params={{ apiKey, endpointId }}>
              {label}
            </AnchorLink>
            <Text size="sm" component="span" miw={0}>
              <Id copy={false}>{url}</Id>
            </Text>
          </Group>
        ))}
      </Stack>
    </Section>
  )
}
