/** The details of an event: description, actor, subject, and the values before and after. */
import { Drawer, Stack, Text, Title } from '@mantine/core'
import type { Event } from '#sdk/generated/operations.ts'
import { Diff } from '../../components/diff.tsx'
import { type Fact, Facts } from '../../components/facts.tsx'
import { Id } from '../../components/id.tsx'
import { Timestamp } from '../../components/timestamp.tsx'
import { EVENT_SUMMARIES } from '../../generated/event-types.ts'
import { EventLinks } from './event-links.tsx'
import { actorName } from './event-table.tsx'

export function EventDetail({ event, onClose }: { event: Event; onClose: () => void }) {
  const { id, type, changedAt, actor, apiKey, organizationId, resource, groupId, userId, before, after } = event
  const rows: Fact[] = [
    ['When', <Timestamp key="when" at={changedAt} date />],
    ['By', <bdi key="by">{actorName(actor)}</bdi>],
  ]
  const add = (name: string, value: string | undefined) =>
    value !== undefined && rows.push([name, <Id key={name}>{value}</Id>])
  add('IP address', actor.address)
  add('Via API key', actor.apiKey)
  add('API key', apiKey === actor.apiKey ? undefined : apiKey)
  add('Organization', organizationId)
  if (resource !== undefined && resource.type !== 'organization')
    add(resource.type === 'folder' ? 'Folder' : 'Document', resource.id)
  add('User group', groupId)
  add('User', userId)
  add('Event id', id)
  return (
    <Drawer opened onClose={onClose} position="right" size="lg" title={type}>
      <Stack gap="md">
        <Text>{EVENT_SUMMARIES[type]}</Text>
        <Facts label="Event" facts={rows} />
        <EventLinks event={event} />
        <Title order={3} size="h5">
          Before and after
        </Title>
        <Diff before={before} after={after} />
      </Stack>
    </Drawer>
  )
}
