/** What happened to the workspace and its keys, deleted ones too: what happened within a key is under its events. */
import { Text } from '@mantine/core'
import { useState } from 'react'
import type { Event } from '#sdk/generated/operations.ts'
import { Section } from '../../components/section.tsx'
import { accountEventsQuery } from '../../queries/keys.ts'
import { useRows } from '../../queries/use-rows.ts'
import { EventDetail } from '../events/event-detail.tsx'
import { EventTable } from '../events/event-table.tsx'

export function KeyHistory() {
  const [shown, show] = useState<Event>()
  const events = useRows(accountEventsQuery())
  return (
    <Section
      title="What happened to the keys"
      intro="Keys that were created, changed, disabled and deleted, their auth tokens and signing keys."
    >
      <EventTable
        rows={events}
        onShow={show}
        height="24rem"
        empty={
          <Text size="sm" c="dimmed">
            Nothing yet.
          </Text>
        }
      />
      {shown !== undefined && <EventDetail event={shown} onClose={() => show(undefined)} />}
    </Section>
  )
}
