/** The details of the event that the address names, whether the list has it or not. */
import { Drawer } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { NamedEvent } from '#sdk/event-sentences/named-events.ts'
import { EmptyState } from '../../components/feedback/empty-state.tsx'
import { Failure } from '../../components/feedback/failure.tsx'
import { Loading } from '../../components/feedback/loading.tsx'
import { eventQuery } from '../../queries/keys/events.ts'
import { useKey } from '../../session/use-session.ts'
import { EventDetail } from './event-detail.tsx'

interface OpenEventDetailProps {
  event: string
  at: number
  listed: readonly NamedEvent[]
  onClose: () => void
}

export function OpenEventDetail({ event: id, at, listed, onClose }: OpenEventDetailProps) {
  const row = listed.find(({ event }) => event.id === id)
  const { data = row, error } = useQuery({ ...eventQuery(useKey(), id, at), enabled: row === undefined })
  const shown = row ?? data
  if (shown) return <EventDetail row={shown} onClose={onClose} />
  return (
    <Drawer opened onClose={onClose} position="right" size="lg" title="Event">
      {error !== null ? (
        <Failure error={error} />
      ) : shown === undefined ? (
        <Loading />
      ) : (
        <EmptyState title="Event not found">
          No event of this API key has the id and the time in the address.
        </EmptyState>
      )}
    </Drawer>
  )
}
