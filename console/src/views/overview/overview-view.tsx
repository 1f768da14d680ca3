/** What there is under this API key, how it does, and what happened last. */
import { Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Overview } from '#sdk/session.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { Failure } from '../../components/failure.tsx'
import { eventsQuery } from '../../queries/events.ts'
import { overviewQuery } from '../../queries/overview.ts'
import { pageQuery } from '../../queries/pages.ts'
import { useKey } from '../../session/use-session.ts'
import { ButtonLink } from '../../shell/links.tsx'
import { Page } from '../../shell/page.tsx'
import { Health } from './health.tsx'
import { LatestEvents } from './latest-events.tsx'
import { Traffic } from './traffic.tsx'

const LABELS: Readonly<Record<keyof Overview['counts'], string>> = {
  organizations: 'Organizations',
  folders: 'Folders',
  documents: 'Documents',
  users: 'Users',
  grants: 'Grants',
}

export function OverviewView() {
  const key = useKey()
  const { data: overview, error } = useQuery(overviewQuery(key))
  const events = useQuery(pageQuery(eventsQuery(key, { pageSize: 10 })))
  return (
    <Page title="Overview">
      {error !== null && overview === undefined && <Failure error={error} />}
      <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }}>
        {Object.entries(LABELS).map(([what, label]) => (
          <Count key={what} label={label} told={told(overview, what as keyof Overview['counts'])} />
        ))}
      </SimpleGrid>
      {overview?.counts.organizations === 0 && (
        <Paper withBorder>
          <EmptyState
            title="Nothing is here yet"
            action={
              <ButtonLink to="/keys/$apiKey/organizations" params={{ apiKey: key.id }}>
                Add an organization
              </ButtonLink>
            }
          >
            Begin with an organization: it holds folders and documents, and people get access to them.
          </EmptyState>
        </Paper>
      )}
      {overview !== undefined && <Traffic traffic={overview.traffic} />}
      {overview !== undefined && <Health apiKey={key.id} overview={overview} />}
      <Stack gap="xs">
        <Title order={2} size="h4">
          Latest events
        </Title>
        {events.error === null ? <LatestEvents events={events.data?.rows} /> : <Failure error={events.error} />}
      </Stack>
    </Page>
  )
}

/** Counting has an end: `100,000+` is more than that. */
function told(overview: Overview | undefined, what: keyof Overview['counts']): string {
  if (overview === undefined) return '…'
  const { counts, countedMax } = overview
  return counts[what] > countedMax ? `${countedMax.toLocaleString()}+` : counts[what].toLocaleString()
}

function Count({ label, told }: { label: string; told: string }) {
  return (
    <Paper withBorder p="md">
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text fz={28} fw={650}>
        {told}
      </Text>
    </Paper>
  )
}
