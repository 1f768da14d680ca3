/** The latest events of an API key, or of one of its users; each opens its details. */
import { Skeleton, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { NamedEvent } from '#sdk/event-sentences/named-events.ts'
import { useNow } from '../../clock.ts'
import { EmptyState } from '../../components/feedback/empty-state.tsx'
import { Failure } from '../../components/feedback/failure.tsx'
import { formatPast } from '../../components/values/times.ts'
import { useTimeFormat } from '../../components/values/timestamp.tsx'
import { type EventQuery, eventsQuery } from '../../queries/keys/events.ts'
import { pageQuery } from '../../queries/pages/pages.ts'
import { useKey } from '../../session/use-session.ts'
import { EventDetail } from './event-detail.tsx'
import { EventRow } from './event-feed.tsx'

interface LatestEventsProps {
  count: number
  /** Only these events. */
  about?: EventQuery
  /** Says what would be listed, where there is nothing yet. */
  empty: string
}

export function LatestEvents({ count, about = {}, empty }: LatestEventsProps) {
  const [shown, show] = useState<NamedEvent>()
  const { data, error } = useQuery(pageQuery(eventsQuery(useKey(), { ...about, pageSize: count })))
  if (data === undefined) return error === null ? <Skeleton height={32 * count} /> : <Failure error={error} />
  if (data.rows.length === 0) return <EmptyState title="No events yet">{empty}</EmptyState>
  return (
    <>
      <List events={data.rows} onShow={show} />
      {shown !== undefined && <EventDetail row={shown} onClose={() => show(undefined)} />}
    </>
  )
}

function List({ events, onShow }: { events: readonly NamedEvent[]; onShow: (row: NamedEvent) => void }) {
  useNow()
  useTimeFormat()
  return (
    <Stack gap={0} component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
      {events.map((row) => (
        <EventRow key={row.event.id} row={row} onShow={onShow} when={formatPast(row.event.changedAt, Date.now())} />
      ))}
    </Stack>
  )
}
