/** How the server does that shows this page: in words, with a sign for what wants somebody's eyes. */
import { Group, Paper, Stack, Text, Title } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import type { Overview } from '#sdk/session.ts'
import { AnchorLink } from '../../shell/links.tsx'

/** A message that is due is sent within seconds, and a job gone on with; later than this something is in its way. */
const OVERDUE_SECONDS = 60
const SLOW_MS = 1_000

export function Health({ apiKey, overview }: { apiKey: string; overview: Overview }) {
  const { engine, version, databaseMs, jobs, deliveries } = overview
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        Health
      </Title>
      <Paper withBorder p="md">
        <Stack gap="xs" component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
          <Line fine={databaseMs < SLOW_MS}>
            <b>Engine</b>: Commonhold {version} on {engine === 'embedded' ? 'the embedded engine' : 'PostgreSQL'}, which
            counted all of this in {databaseMs} ms.
          </Line>
          <Line fine={jobs.overdueSeconds <= OVERDUE_SECONDS}>
            <b>Jobs</b>:{' '}
            {jobs.unfinished === 0
              ? 'no migration or erasure is under way'
              : `${jobs.unfinished.toLocaleString()} migrations and erasures are not finished`}
            {overdue(jobs.overdueSeconds, 'nobody has gone on with one of them for')}.{' '}
            <AnchorLink to="/keys/$apiKey/migrations" params={{ apiKey }} size="sm" underline="always">
              Migrations
            </AnchorLink>
          </Line>
          <Line fine={deliveries.overdueSeconds <= OVERDUE_SECONDS}>
            <b>Deliveries</b>:{' '}
            {deliveries.waiting === 0
              ? 'no webhook message waits'
              : `${deliveries.waiting.toLocaleString()} webhook messages wait to be sent, or sent again`}
            {overdue(deliveries.overdueSeconds, 'the oldest has been due for')}.{' '}
            <AnchorLink to="/keys/$apiKey/webhooks" params={{ apiKey }} size="sm" underline="always">
              Webhooks
            </AnchorLink>
          </Line>
        </Stack>
      </Paper>
    </Stack>
  )
}

const overdue = (seconds: number, said: string): string =>
  seconds <= OVERDUE_SECONDS ? '' : `; ${said} ${Math.round(seconds / 60)} minutes`

function Line({ fine, children }: { fine: boolean; children: ReactNode }) {
  return (
    <Group component="li" gap="xs" wrap="nowrap" align="start">
      <Sign fine={fine} />
      <Text size="sm" component="div">
        {children}
      </Text>
    </Group>
  )
}

function Sign({ fine }: { fine: boolean }) {
  const shared = { size: 18, style: { flex: 'none', marginTop: 1 } }
  return fine ? (
    <IconCircleCheck {...shared} color="var(--mantine-color-green-text)" aria-label="Fine" />
  ) : (
    <IconAlertTriangle {...shared} color="var(--mantine-color-red-text)" aria-label="Look at this" />
  )
}
