/** The events of the workspace and its API keys, deleted ones included. Events within a key are in its own view. */
import { NativeSelect, Text } from '@mantine/core'
import { useState } from 'react'
import type { NamedEvent } from '#sdk/event-sentences/named-events.ts'
import { Section } from '../../components/page/section.tsx'
import { useReadableOperators } from '../../queries/account/operators.ts'
import { accountEventsQuery } from '../../queries/keys/account-events.ts'
import { useRows } from '../../queries/pages/use-rows.ts'
import { workspace } from '../../session/session.ts'
import { EventDetail } from '../events/event-detail.tsx'
import { EventFeed } from '../events/event-feed.tsx'
import { ExportMenu, ExportProgress, useExport } from '../events/export-events.tsx'

/** The API key of an event; events of no key are about the workspace itself. */
const subjectOf = ({ event: { apiKey }, names }: NamedEvent): string =>
  apiKey === undefined ? 'Workspace' : (names.of({ kind: 'apiKey', id: apiKey }) ?? apiKey)

export function KeyHistory() {
  const [shown, show] = useState<NamedEvent>()
  const [operatorId, setOperatorId] = useState('')
  const people = useReadableOperators()
  const filters = operatorId === '' ? {} : { actor: { operatorId } }
  const events = useRows(accountEventsQuery(filters))
  const exported = useExport(workspace.accountEvents.list, filters)
  return (
    <Section
      title="History"
      intro="Changes to the API keys of this workspace, its people and its tokens. Deleted keys are included."
      actions={
        <>
          {people.length > 1 && (
            <NativeSelect
              aria-label="Person"
              value={operatorId}
              data={[{ value: '', label: 'Everybody' }, ...people.map(({ id, name }) => ({ value: id, label: name }))]}
              onChange={({ currentTarget }) => setOperatorId(currentTarget.value)}
            />
          )}
          <ExportMenu {...exported} />
        </>
      }
    >
      <ExportProgress {...exported} />
      <EventFeed
        rows={events}
        onShow={show}
        height="24rem"
        placeOf={subjectOf}
        empty={
          <Text size="sm" c="dimmed">
            No matching events.
          </Text>
        }
      />
      {shown !== undefined && <EventDetail row={shown} onClose={() => show(undefined)} />}
    </Section>
  )
}
