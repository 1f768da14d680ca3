/** The latest events; each opens its details. */
import { Group, Paper, Skeleton, Stack, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { NamedEvent } from '#sdk/event-sentences/named-events.ts'
import { useNow } from '../../clock.ts'
import { EmptyState } from '../../components/feedback/empty-state.tsx'
import { Failure } from '../../components/feedback/failure.tsx'
import { formatWhen } from '../../components/values/times.ts'
import { useTimeFormat } from '../../components/values/use-time-format.ts'
import { AnchorLink } from '../../links/links.tsx'
import { eventsQuery } from '../../queries/keys/events.ts'
import { pageQuery } from '../../queries/pages/pages.ts'
import type { Key } from '../../session/session.ts'
import { EventDetail } from '../events/event-detail.tsx'
import { EventRow } from '../events/event-feed.tsx'

const COUNT = 10

export function LatestEvents({ of: key }: { of: Key }) {
  const [shown, show] = useState<NamedEvent>()
  const events = useQuery(pageQuery(eventsQuery(key, { pageSize: COUNT })))
  return (
    <Stack gap="xs">
      <Group justify="space-between" align="baseline">
        <Title order={2} size="h4">
          Latest events
        </Title>
        <AnchorLink size="sm" to="/keys/$apiKey/events" params={{ apiKey: key.id }}>
          All events
        </AnchorLink>
      </Group>
      {events.data !== undefined && <List events={events.data.rows} onShow={show} />}
      {events.data === undefined &&
        (events.error === null ? <Skeleton height={320} /> : <Failure error={events.error} />)}
      {shown !== undefined && <EventDetail row={shown} onClose={() => show(undefined)} />}
    </Stack>
  )
}

function List({ events, onShow }: { events: readonly NamedEvent[]; onShow: (row: NamedEvent) => void }) {
  const now = useNow()
  useTimeFormat()
  if (events.length === 0)
    return (
      <Paper withBorder>
        <EmptyState title="No events yet">Every change appears here, no matter who made it.</EmptyState>
      </Paper>
    )
  return (
    <Paper withBorder p={4}>
      <Stack gap={0} component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
        {events.map((row) => (
          <EventRow key={row.event.id} row={row} onShow={onShow} when={formatWhen(row.event.changedAt, now)} />
        ))}
      </Stack>
    </Paper>
  )
}
