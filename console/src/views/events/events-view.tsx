/** The events of an API key: live, and back to the first one. */
import { Button, Collapse, Paper, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconFilter, IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useId, useMemo, useState } from 'react'
import type { Event } from '#sdk/generated/operations.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { Failure } from '../../components/failure.tsx'
import { eventsQuery, lastChangeQuery } from '../../queries/events.ts'
import { concatRows, staticRows } from '../../queries/rows.ts'
import { useRows } from '../../queries/use-rows.ts'
import { useKey } from '../../session/use-session.ts'
import { Page } from '../../shell/page.tsx'
import { EventDetail } from './event-detail.tsx'
import { EventFilters } from './event-filters.tsx'
import { type EventSearch, eventQuery, eventSearch } from './event-search.ts'
import { EventTable } from './event-table.tsx'
import { useTail } from './use-tail.ts'

/** Events that were being written when the latest was read can be older than it. */
const MARGIN_MS = 10_000

export function EventsView() {
  const { id } = useKey()
  const navigate = useNavigate()
  // The router also returns parameters that are no filters.
  const search = eventSearch({ ...useSearch({ from: '/keys/$apiKey/events' }) })
  const [filtering, { toggle }] = useDisclosure(Object.keys(search).length > 0)
  const [paused, setPaused] = useState(false)
  const filters = useId()
  const count = Object.keys(search).length
  const show = (search: EventSearch) => navigate({ to: '/keys/$apiKey/events', params: { apiKey: id }, search: search })
  const PauseIcon = paused ? IconPlayerPlay : IconPlayerPause
  return (
    <Page
      title="Events"
      intro="Every change, with its actor, its subject, and the values before and after."
      actions={
        <>
          <Button
            variant="default"
            leftSection={<IconFilter size={16} aria-hidden />}
            aria-expanded={filtering}
            aria-controls={filters}
            onClick={toggle}
          >
            {count === 0 ? 'Filter' : `Filter (${count})`}
          </Button>
          {search.to === undefined && (
            <Button
              variant="default"
              leftSection={<PauseIcon size={16} aria-hidden />}
              onClick={() => setPaused(!paused)}
            >
              {paused ? 'Resume' : 'Pause'}
            </Button>
          )}
        </>
      }
    >
      <Collapse expanded={filtering} id={filters}>
        <Paper withBorder p="md">
          <EventFilters key={JSON.stringify(search)} search={search} onShow={show} />
        </Paper>
      </Collapse>
      <Events
        key={JSON.stringify(search)}
        search={search}
        isLive={!paused && search.to === undefined}
        onAll={() => show({})}
      />
    </Page>
  )
}

interface EventsProps {
  search: EventSearch
  isLive: boolean
  onAll: () => void
}

function Events({ search, isLive, onAll }: EventsProps) {
  const key = useKey()
  const query = eventQuery(search)
  const [shown, show] = useState<Event>()
  const last = useQuery({ ...lastChangeQuery(key), staleTime: Number.POSITIVE_INFINITY })
  const history = useRows({
    ...eventsQuery(key, { ...query, pageSize: 100 }),
    enabled: last.data !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  const from = last.data === undefined ? undefined : Math.max(last.data - MARGIN_MS, search.from ?? 0)
  const tail = useTail(key, { query, from, isLive })
  const [listed] = useState(() => new Set<string>())
  const arrived = useMemo(() => {
    // Events from around the start of the live updates are in both lists.
    for (const { id, changedAt } of history.loaded) if (changedAt >= (from ?? 0)) listed.add(id)
    return tail.filter(({ id }) => !listed.has(id))
  }, [tail, history.loaded, from, listed])
  if (last.error !== null) return <Failure error={last.error} />
  const filtered = Object.keys(search).length > 0
  return (
    <>
      <Text size="sm" c="dimmed" role="status">
        {isLive ? 'Live: new events appear within two seconds.' : 'Paused.'}
      </Text>
      <EventTable
        rows={concatRows(staticRows(arrived, last), history)}
        onShow={show}
        empty={
          <Paper withBorder>
            {filtered ? (
              <EmptyState
                title="No matching events"
                action={
                  <Button variant="default" onClick={onAll}>
                    Show all events
                  </Button>
                }
              >
                Ids must match exactly. Try fewer filters, or a longer period.
              </EmptyState>
            ) : (
              <EmptyState title="No events yet">
                Every change appears here as soon as it is made. Add an organization or give somebody access to see the
                first.
              </EmptyState>
            )}
          </Paper>
        }
      />
      {shown !== undefined && <EventDetail event={shown} onClose={() => show(undefined)} />}
    </>
  )
}
