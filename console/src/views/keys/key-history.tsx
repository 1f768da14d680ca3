/** The events of the workspace and its API keys, deleted ones included. Events within a key are in its own view. */
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
      title="Key history"
      intro="Changes to the API keys of this workspace, their auth tokens and their signing keys. Deleted keys are included."
    >
      <EventTable
        rows={events}
        onShow={show}
        height="24rem"
        empty={
          <Text size="sm" c="dimmed">
            No changes yet.
          </Text>
        }
      />
      {shown !== undefined && <EventDetail event={shown} onClose={() => show(undefined)} />}
    </Section>
  )
}
