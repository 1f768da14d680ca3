/** The health of the server that sends this page, in words, with an icon beside each problem. */
import { Group, Paper, Stack, Text, Title } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck, IconCircleDashed } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Overview } from '#sdk/session.ts'
import { mailStateOf } from '../../components/feedback/mail-state.tsx'
import { WEBHOOK_STATUSES, wordOf } from '../../components/feedback/webhook-status.tsx'
import { Timestamp } from '../../components/values/timestamp.tsx'
import { AnchorLink } from '../../links/links.tsx'
import { plural } from '../../plural.ts'
import { accountFindingsQuery, findingsQuery } from '../../queries/keys/overview.ts'
import { webhookEndpointsQuery } from '../../queries/keys/webhooks.ts'
import { useRefusal } from '../../session/permission.ts'
import { useKey, useSession } from '../../session/use-session.ts'
import { BASIC } from '../webhooks/basic-urls.tsx'

/** Due messages are sent, and jobs continued, within seconds. Anything later than this is a problem. */
const OVERDUE_SECONDS = 60
const SLOW_MS = 1_000

export function Health({ apiKey, overview }: { apiKey: string; overview: Overview }) {
  const { engine, version, databaseMs, jobs, mail } = overview
  const mailState = mailStateOf(mail)
  const mayListFindings = useRefusal('findings.list') === undefined
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        Health
      </Title>
      <Paper withBorder p="md">
        <Stack gap="xs" component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
          <StatusLine state={databaseMs < SLOW_MS ? 'good' : 'bad'}>
            <b>Engine</b>: Commonhold {version} on {engine === 'embedded' ? 'the embedded engine' : 'PostgreSQL'}, which
            computed this overview in {databaseMs} ms.
          </StatusLine>
          <StatusLine state={jobs.overdueSeconds <= OVERDUE_SECONDS ? 'good' : 'bad'}>
            <b>Jobs</b>:{' '}
            {jobs.unfinished === 0
              ? 'no migrations or erasures in progress'
              : `${plural(jobs.unfinished, 'migration or erasure', 'migrations and erasures')} in progress`}
            {overdue(jobs.overdueSeconds, 'one of them has made no progress for')}.{' '}
            <AnchorLink to="/keys/$apiKey/migrations" params={{ apiKey }} size="sm" underline="always">
              Migrations
            </AnchorLink>
          </StatusLine>
          <Webhooks apiKey={apiKey} overview={overview} />
          {mayListFindings && <Findings />}
          <StatusLine state={mailState.state}>
            <b>E-mail</b>: {mailState.word}. {mailState.text}{' '}
            <AnchorLink to="/keys/$apiKey/settings/email" params={{ apiKey }} size="sm" underline="always">
              E-mail settings
            </AnchorLink>
          </StatusLine>
        </Stack>
      </Paper>
    </Stack>
  )
}

/** The number of findings of the key and its workspace, and the first of them; nothing until they are loaded. */
function Findings() {
  const key = useKey()
  const ofWorkspace = useSession().workspaceId !== undefined
  const { data } = useQuery(findingsQuery(key))
  const { data: account } = useQuery({ ...accountFindingsQuery, enabled: ofWorkspace })
  if (data === undefined || (ofWorkspace && account === undefined)) return null
  const { isComplete } = data
  const findings = [...data.findings, ...(account ?? [])]
  const [first] = findings
  return (
    <StatusLine state={first === undefined ? 'good' : 'bad'}>
      <b>Worth a look</b>:{' '}
      {first === undefined ? (
        'nothing was found'
      ) : (
        <>
          {isComplete ? '' : 'at least '}
          {plural(findings.length, 'finding')}, first of all: <bdi dir="ltr">{first.sentence.replace(/\.$/, '')}</bdi>
        </>
      )}
      .{' '}
      <AnchorLink to="/keys/$apiKey/worth-a-look" params={{ apiKey: key.id }} size="sm" underline="always">
        Findings
      </AnchorLink>
    </StatusLine>
  )
}

/** The number of webhooks by status, and the names of webhooks that fail or were disabled because they failed. */
function Webhooks({ apiKey, overview: { deliveries, webhooks } }: { apiKey: string; overview: Overview }) {
  const { statuses, troubled } = webhooks
  const nameOf = useEndpointNames(troubled.length > 0)
  const counted = WEBHOOK_STATUSES.flatMap((status) => {
    const count = statuses[status] ?? 0
    return count === 0 ? [] : [`${count.toLocaleString('en')} ${wordOf(status)}`]
  })
  const isBad = troubled.length > 0 || deliveries.overdueSeconds > OVERDUE_SECONDS
  const isGood = (statuses.delivering ?? 0) > 0 && (statuses.waiting ?? 0) === 0
  return (
    <StatusLine state={isBad ? 'bad' : isGood ? 'good' : 'off'}>
      <b>Webhooks</b>: {counted.length === 0 ? 'none' : counted.join(', ')}
      {deliveries.waiting > 0 && `; ${plural(deliveries.waiting, 'message')} waiting to be sent or retried`}
      {overdue(deliveries.overdueSeconds, 'the oldest has been due for')}.{' '}
      <AnchorLink to="/keys/$apiKey/webhooks" params={{ apiKey }} size="sm" underline="always">
        Webhooks
      </AnchorLink>
      {troubled.map(({ endpointId, status, failingSince }) => (
        <div key={endpointId} style={{ overflowWrap: 'anywhere' }}>
          <AnchorLink
            to="/keys/$apiKey/webhooks/$endpointId"
            params={{ apiKey, endpointId }}
            size="sm"
            underline="always"
          >
            <bdi>{nameOf(endpointId)}</bdi>
          </AnchorLink>{' '}
          is {wordOf(status)}
          {failingSince !== null && (
            <>
              ; it has failed since <Timestamp at={failingSince} date />
            </>
          )}
        </div>
      ))}
    </StatusLine>
  )
}

/** Returns the name of a webhook by its id: the URL for those who may read it, as all who sign in to the workspace may. */
function useEndpointNames(enabled: boolean): (endpointId: string) => string {
  const mayRead = useSession().workspaceId !== undefined
  const { data: endpoints } = useQuery({ ...webhookEndpointsQuery(useKey()), enabled: enabled && mayRead })
  const isLoading = enabled && mayRead && endpoints === undefined
  return (endpointId) =>
    BASIC[endpointId] ?? endpoints?.find(({ id }) => id === endpointId)?.url ?? (isLoading ? '…' : endpointId)
}

const overdue = (seconds: number, prefix: string): string =>
  seconds <= OVERDUE_SECONDS ? '' : `; ${prefix} ${Math.round(seconds / 60)} minutes`

/** `off`: there is nothing to be good or bad. */
type State = 'good' | 'bad' | 'off'

function StatusLine({ state, children }: { state: State; children: ReactNode }) {
  return (
    <Group component="li" gap="xs" wrap="nowrap" align="start">
      <StatusIcon state={state} />
      <Text size="sm" component="div">
        {children}
      </Text>
    </Group>
  )
}

function StatusIcon({ state }: { state: State }) {
  const shared = { size: 18, style: { flex: 'none', marginTop: 1 } }
  if (state === 'off') return <IconCircleDashed {...shared} color="var(--mantine-color-dimmed)" aria-hidden />
  return state === 'good' ? (
    <IconCircleCheck {...shared} color="var(--mantine-color-green-text)" aria-label="OK" />
  ) : (
    <IconAlertTriangle {...shared} color="var(--mantine-color-red-text)" aria-label="Needs attention" />
  )
}
