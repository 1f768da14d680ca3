/** The latest events; each opens its details. */
import { Anchor, Group, Paper, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Event } from '#sdk/generated/operations.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { Failure } from '../../components/failure.tsx'
import { Timestamp } from '../../components/timestamp.tsx'
import { eventsQuery } from '../../queries/events.ts'
import { pageQuery } from '../../queries/pages.ts'
import type { Key } from '../../session/session.ts'
import { AnchorLink } from '../../shell/links.tsx'
import { EventDetail } from '../events/event-detail.tsx'
import { About } from '../events/event-table.tsx'
import classes from './latest-events.module.css'

const COUNT = 10
const REFRESH_MS = 10_000

export function LatestEvents({ of: key }: { of: Key }) {
  const [shown, show] = useState<Event>()
  const events = useQuery({ ...pageQuery(eventsQuery(key, { pageSize: COUNT })), refetchInterval: REFRESH_MS })
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
      {shown !== undefined && <EventDetail event={shown} onClose={() => show(undefined)} />}
    </Stack>
  )
}

function List({ events, onShow }: { events: readonly Event[]; onShow: (event: Event) => void }) {
  if (events.length === 0)
    return (
      <Paper withBorder>
        <EmptyState title="No events yet">Every change appears here, no matter who made it.</EmptyState>
      </Paper>
    )
  return (
    <Paper withBorder p="md">
      <Stack gap="xs" component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
        {events.map((event) => (
          <li key={event.id} className={classes.row}>
            <Anchor component="button" type="button" size="sm" ta="start" onClick={() => onShow(event)}>
              {event.type}
            </Anchor>
            <Text size="sm" component="div" className={classes.about}>
              <About event={event} />
            </Text>
            <Text size="sm" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
              <Timestamp at={event.changedAt} />
            </Text>
          </li>
        ))}
      </Stack>
    </Paper>
  )
}
