/** The last few events, each in a line. */
import { Group, Paper, Stack, Text } from '@mantine/core'
import type { Event } from '#sdk/generated/operations.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { Id } from '../../components/id.tsx'
import { When } from '../../components/when.tsx'

export function LatestEvents({ events }: { events: readonly Event[] | undefined }) {
  if (events === undefined)
    return (
      <Text size="sm" c="dimmed">
        Loading…
      </Text>
    )
  if (events.length === 0)
    return (
      <Paper withBorder>
        <EmptyState title="No events yet">Every change is written down here, whoever makes it.</EmptyState>
      </Paper>
    )
  return (
    <Paper withBorder p="md">
      <Stack gap="xs" component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
        {events.map((event) => (
          <Group key={event.id} component="li" gap="xs" fz="sm" justify="space-between">
            <Group gap="xs" miw={0}>
              <span>{event.type}</span>
              <Subject event={event} />
            </Group>
            <Text span size="sm" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
              <When at={event.changedAt} />
            </Text>
          </Group>
        ))}
      </Stack>
    </Paper>
  )
}

/** What it is about, as far as an id says it. */
function Subject({ event: { resource, userId, groupId, organizationId } }: { event: Event }) {
  const id = resource?.id ?? userId ?? groupId ?? organizationId
  return id === undefined ? null : <Id copy={false}>{id}</Id>
}
