/** What there is under this API key, and what happened last. */
import { Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { EmptyState } from '../../components/empty-state.tsx'
import { Failure } from '../../components/failure.tsx'
import { eventsQuery } from '../../queries/events.ts'
import { organizationsQuery } from '../../queries/organizations.ts'
import { profilesQuery } from '../../queries/users.ts'
import { useKey } from '../../session/use-session.ts'
import { ButtonLink } from '../../shell/links.tsx'
import { Page } from '../../shell/page.tsx'
import { LatestEvents } from './latest-events.tsx'

interface Counted {
  data: readonly unknown[] | undefined
  error: Error | null
  hasNextPage: boolean
}

export function OverviewView() {
  const key = useKey()
  const organizations = useInfiniteQuery(organizationsQuery(key))
  const users = useInfiniteQuery(profilesQuery(key))
  const events = useInfiniteQuery(eventsQuery(key, { pageSize: 10 }))
  return (
    <Page title="Overview">
      <SimpleGrid cols={{ base: 2, md: 4 }}>
        <Count label="Organizations" of={organizations} />
        <Count label="Users" of={users} />
      </SimpleGrid>
      {organizations.data?.length === 0 && (
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
      <Stack gap="xs">
        <Title order={2} size="h4">
          Latest events
        </Title>
        {events.error === null ? <LatestEvents events={events.data} /> : <Failure error={events.error} />}
      </Stack>
    </Page>
  )
}

/** Of the first page: lists have no count, and more than a page is many. */
function Count({ label, of: { data, error, hasNextPage } }: { label: string; of: Counted }) {
  const told = data === undefined ? '…' : `${data.length.toLocaleString()}${hasNextPage ? '+' : ''}`
  return (
    <Paper withBorder p="md">
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text fz={28} fw={650}>
        {error === null ? told : 'unknown'}
      </Text>
    </Paper>
  )
}
