/** The health of the server that sends this page, in words, with an icon for what needs attention. */
import { Group, Paper, Stack, Text, Title } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import type { Overview } from '#sdk/session.ts'
import { AnchorLink } from '../../shell/links.tsx'

/** Due messages are sent, and jobs continued, within seconds. Anything later than this is a problem. */
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
          <StatusLine ok={databaseMs < SLOW_MS}>
            <b>Engine</b>: Commonhold {version} on {engine === 'embedded' ? 'the embedded engine' : 'PostgreSQL'}, which
            computed this overview in {databaseMs} ms.
          </StatusLine>
          <StatusLine ok={jobs.overdueSeconds <= OVERDUE_SECONDS}>
            <b>Jobs</b>:{' '}
            {jobs.unfinished === 0
              ? 'no migrations or erasures in progress'
              : `${jobs.unfinished.toLocaleString()} migrations and erasures in progress`}
            {overdue(jobs.overdueSeconds, 'one of them has made no progress for')}.{' '}
            <AnchorLink to="/keys/$apiKey/migrations" params={{ apiKey }} size="sm" underline="always">
              Migrations
            </AnchorLink>
          </StatusLine>
          <StatusLine ok={deliveries.overdueSeconds <= OVERDUE_SECONDS}>
            <b>Deliveries</b>:{' '}
            {deliveries.waiting === 0
              ? 'no webhook messages waiting'
              : `${deliveries.waiting.toLocaleString()} webhook messages waiting to be sent or retried`}
            {overdue(deliveries.overdueSeconds, 'the oldest has been due for')}.{' '}
            <AnchorLink to="/keys/$apiKey/webhooks" params={{ apiKey }} size="sm" underline="always">
              Webhooks
            </AnchorLink>
          </StatusLine>
        </Stack>
      </Paper>
    </Stack>
  )
}

const overdue = (seconds: number, prefix: string): string =>
  seconds <= OVERDUE_SECONDS ? '' : `; ${prefix} ${Math.round(seconds / 60)} minutes`

function StatusLine({ ok, children }: { ok: boolean; children: ReactNode }) {
  return (
    <Group component="li" gap="xs" wrap="nowrap" align="start">
      <StatusIcon ok={ok} />
      <Text size="sm" component="div">
        {children}
      </Text>
    </Group>
  )
}

function StatusIcon({ ok }: { ok: boolean }) {
  const shared = { size: 18, style: { flex: 'none', marginTop: 1 } }
  return ok ? (
    <IconCircleCheck {...shared} color="var(--mantine-color-green-text)" aria-label="OK" />
  ) : (
    <IconAlertTriangle {...shared} color="var(--mantine-color-red-text)" aria-label="Needs attention" />
  )
}
