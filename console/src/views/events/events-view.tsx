/** The events of an API key as sentences: live, and back to the first one. */

import { Button, Collapse, Paper, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconFilter, IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useId, useMemo, useState } from 'react'
import { EmptyState } from '../../components/feedback/empty-state.tsx'
import { Failure } from '../../components/feedback/failure.tsx'
import { Page } from '../../components/page/page.tsx'
import { useAddress } from '../../links/use-address.ts'
import { type EventQuery, eventsQuery, lastChangeQuery } from '../../queries/keys/events.ts'
import { concatRows, staticRows } from '../../queries/pages/rows.ts'
import { useRows } from '../../queries/pages/use-rows.ts'
import { useReachable } from '../../session/reachability.ts'
import { useKey } from '../../session/use-session.ts'
import { EventFeed } from './event-feed.tsx'
import { EventFilters } from './event-filters.tsx'
import { type EventSearch, eventQuery, eventSearch, type OpenEvent, openEvent } from './event-search.ts'
import { ExportMenu, ExportProgress, useExport } from './export-events.tsx'
import { OpenEventDetail } from './open-event.tsx'
import { PeriodChips } from './period-chips.tsx'
import { useTail } from './use-tail.ts'
import { useToday } from './use-today.ts'

/** Events that were being written when the latest was read can be older than it. */
const MARGIN_MS = 10_000

export function EventsView() {
  const { client } = useKey()
  // The router also returns parameters that are no filters.
  const [search, change] = useAddress(eventSearch({ ...useSearch({ from: '/keys/$apiKey/events' }) }))
  const { period, ...others } = search
  const count = Object.keys(others).length
  const [filtering, { toggle }] = useDisclosure(count > 0)
  const [paused, setPaused] = useState(false)
  const filters = useId()
  const query = eventQuery(search, useToday())
  const exported = useExport(client.events.list, query)
  const show = (search: EventSearch) => change(() => search)
  const canBeLive = query.to === undefined
  const PauseIcon = paused ? IconPlayerPlay : IconPlayerPause
  return (
    <Page
      title="Events"
      intro="Who changed what, and when."
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
          {canBeLive && (
            <Button
              variant="default"
              leftSection={<PauseIcon size={16} aria-hidden />}
              onClick={() => setPaused(!paused)}
            >
              {paused ? 'Resume' : 'Pause'}
            </Button>
          )}
          <ExportMenu {...exported} />
        </>
      }
    >
      <PeriodChips search={search} onShow={show} />
      <Collapse expanded={filtering} id={filters}>
        <Paper withBorder p="md">
          <EventFilters key={JSON.stringify(search)} search={search} onShow={show} />
        </Paper>
      </Collapse>
      <ExportProgress {...exported} />
      <Events
        key={JSON.stringify(query)}
        query={query}
        isLive={!paused && canBeLive}
        isPaused={paused && canBeLive}
        onAll={Object.keys(search).length === 0 ? undefined : () => show({})}
      />
    </Page>
  )
}

interface EventsProps {
  query: EventQuery
  isLive: boolean
  /** Somebody has stopped the live updates. */
  isPaused: boolean
  /** Shows all events; undefined when nothing is filtered. */
  onAll: (() => void) | undefined
}

function Events({ query, isLive, isPaused, onAll }: EventsProps) {
  const key = useKey()
  const [{ event, at = 0 }, open] = useAddress<OpenEvent>(openEvent({ ...useSearch({ from: '/keys/$apiKey/events' }) }))
  const last = useQuery({ ...lastChangeQuery(key), staleTime: 'static' })
  const history = useRows({
    ...eventsQuery(key, { ...query, pageSize: 100 }),
    enabled: last.data !== undefined,
    staleTime: 'static', // new events come with the tail
    gcTime: 0,
  })
  const from = last.data === undefined ? undefined : Math.max(last.data - MARGIN_MS, query.from ?? 0)
  const tail = useTail(key, { query, from, isLive })
  const isReachable = useReachable()
  const [listed] = useState(() => new Set<string>())
  const arrived = useMemo(() => {
    // Events from around the start of the live updates are in both lists.
    for (const { event } of history.loaded) if (event.changedAt >= (from ?? 0)) listed.add(event.id)
    return tail.filter(({ event }) => !listed.has(event.id))
  }, [tail, history.loaded, from, listed])
  if (last.error !== null && last.data === undefined) return <Failure error={last.error} />
  return (
    <>
      <Text size="sm" c="dimmed" role="status">
        {isLive
          ? isReachable
            ? 'Live: new events appear within seconds.'
            : 'Interrupted: new events appear when the server is back.'
          : isPaused
            ? 'Paused: new events appear when you resume.'
            : 'Events of a period that is over.'}
      </Text>
      <EventFeed
        rows={concatRows(staticRows(arrived, last), history)}
        onShow={({ event: { id, changedAt } }) => open((search) => ({ ...search, event: id, at: changedAt }))}
        empty={
          <Paper withBorder>
            <NoEvents onAll={onAll} />
          </Paper>
        }
      />
      {event !== undefined && (
        <OpenEventDetail
          {...{ event, at }}
          listed={[...arrived, ...history.loaded]}
          onClose={() => open(({ event, at, ...search }) => search, { replace: true })}
        />
      )}
    </>
  )
}

function NoEvents({ onAll }: Pick<EventsProps, 'onAll'>) {
  if (onAll === undefined)
    return (
      <EmptyState title="No events yet">
        Every change appears here as soon as it is made. Add an organization or give somebody access to see the first.
      </EmptyState>
    )
  return (
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
  )
}
