/** How the server does that shows this page: in words, with a sign for what wants somebody's eyes. */
import { List, Paper, Stack, Title } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react'
import type { Overview } from '#sdk/session.ts'
import { AnchorLink } from '../../shell/links.tsx'

/** A message that is due is sent within seconds; later than this something is in its way. */
const OVERDUE_SECONDS = 60
const SLOW_MS = 1_000

export function Health({ apiKey, overview }: { apiKey: string; overview: Overview }) {
  const { engine, version, databaseMs, deliveries } = overview
  const isOverdue = deliveries.overdueSeconds > OVERDUE_SECONDS
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        Health
      </Title>
      <Paper withBorder p="md">
        <List spacing="xs" center>
          <List.Item icon={<Sign fine={databaseMs < SLOW_MS} />}>
            Commonhold {version} on {engine === 'embedded' ? 'the embedded engine' : 'PostgreSQL'}, which counted all of
            this in {databaseMs} ms
          </List.Item>
          <List.Item icon={<Sign fine={!isOverdue} />}>
            {deliveries.waiting === 0
              ? 'No webhook message waits'
              : `${deliveries.waiting.toLocaleString()} webhook messages wait to be sent, or sent again`}
            {isOverdue && `; the oldest has been due for ${Math.round(deliveries.overdueSeconds / 60)} minutes`}.{' '}
            <AnchorLink to="/keys/$apiKey/webhooks" params={{ apiKey }} underline="always">
              Webhooks
            </AnchorLink>
          </List.Item>
        </List>
      </Paper>
    </Stack>
  )
}

function Sign({ fine }: { fine: boolean }) {
  return fine ? (
    <IconCircleCheck size={18} color="var(--mantine-color-green-text)" aria-label="Fine" />
  ) : (
    <IconAlertTriangle size={18} color="var(--mantine-color-red-text)" aria-label="Look at this" />
  )
}
