/** The details of an event: its sentence, actor and subject with ids to copy, and the values before and after. */
import { Code, Drawer, Stack, Text, Title } from '@mantine/core'
import type { NamedEvent } from '#sdk/event-sentences/named-events.ts'
import type { NamedThing } from '#sdk/event-sentences/names.ts'
import { actorName } from '../../components/people/actor-name.ts'
import { Diff } from '../../components/values/diff.tsx'
import { type Fact, Facts } from '../../components/values/facts.tsx'
import { Id } from '../../components/values/id.tsx'
import { Timestamp } from '../../components/values/timestamp.tsx'
import { EVENT_SUMMARIES } from '../../generated/event-types.ts'
import { EventLinks } from './event-links.tsx'
import { EventSentence } from './event-sentence.tsx'

export function EventDetail({ row, onClose }: { row: NamedEvent; onClose: () => void }) {
  const { event, names } = row
  const { id, type, changedAt, actor, apiKey, organizationId, resource, groupId, userId, before, after } = event
  const userName = userId && (names.of({ kind: 'user', id: userId }) ?? userId)
  const rows: Fact[] = [
    ['When', <Timestamp key="when" at={changedAt} date />],
    ['By', <bdi key="by">{actorName(actor, userName)}</bdi>],
  ]
  const add = (label: string, value: string | undefined, thing?: Omit<NamedThing, 'id'>) => {
    if (value === undefined) return
    const name = thing === undefined ? undefined : names.of({ ...thing, id: value })
    rows.push([label, <NamedId key={label} id={value} name={name} />])
  }
  add('IP address', actor.address)
  add('Via API key', actor.apiKey, { kind: 'apiKey' })
  add('API key', apiKey === actor.apiKey ? undefined : apiKey, { kind: 'apiKey' })
  add('Organization', organizationId, { kind: 'organization' })
  if (resource !== undefined && resource.type !== 'organization')
    add(resource.type === 'folder' ? 'Folder' : 'Document', resource.id, { kind: resource.type, organizationId })
  add('User group', groupId, { kind: 'userGroup', organizationId })
  add('User', userId, { kind: 'user' })
  add('Event id', id)
  rows.push(['Type', <Code key="type">{type}</Code>])
  return (
    <Drawer opened onClose={onClose} position="right" size="lg" title="Event">
      <Stack gap="md">
        <Text size="lg">
          <EventSentence {...row} />
        </Text>
        <Text size="sm" c="dimmed">
          {EVENT_SUMMARIES[type]}
        </Text>
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

function NamedId({ id, name }: { id: string; name: string | undefined }) {
  if (name === undefined) return <Id>{id}</Id>
  return (
    <Stack gap={0}>
      <bdi>{name}</bdi>
      <Text span size="xs" c="dimmed">
        <Id>{id}</Id>
      </Text>
    </Stack>
  )
}
