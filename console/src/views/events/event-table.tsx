/** A table of events. */
import { Group, Text } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Event } from '#sdk/generated/operations.ts'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Id } from '../../components/id.tsx'
import { RowButton } from '../../components/row-button.tsx'
import { Timestamp } from '../../components/timestamp.tsx'
import type { Rows } from '../../queries/rows.ts'

interface EventTableProps {
  rows: Rows<Event>
  onShow: (event: Event) => void
  empty: ReactNode
  height?: string
}

export function EventTable({ rows, onShow, empty, height }: EventTableProps) {
  const columns: Column<Event>[] = [
    { key: 'when', header: 'When', width: 130, cell: ({ changedAt }) => <Timestamp at={changedAt} /> },
    {
      key: 'type',
      header: 'Type',
      // Wide enough for the longest type; half of the width of a phone.
      width: 'min(15.5rem, 46vw)',
      cell: (event) => <RowButton name={event.type} onClick={() => onShow(event)} />,
    },
    { key: 'about', header: 'About', wideOnly: true, cell: (event) => <About event={event} /> },
    { key: 'by', header: 'By', width: 160, wideOnly: true, cell: ({ actor }) => <bdi>{actorName(actor)}</bdi> },
  ]
  return (
    <DataTable
      label="Events"
      rows={rows}
      columns={columns}
      idOf={({ id }) => id}
      empty={empty}
      {...(height === undefined ? {} : { height })}
    />
  )
}

export const actorName = ({ operator, token, system, address, apiKey }: Event['actor']): string =>
  operator?.name ??
  token ??
  (system === undefined ? undefined : `the service (${system})`) ??
  apiKey ??
  address ??
  'unknown'

export function About({ event: { resource, userId, groupId, organizationId, apiKey } }: { event: Event }) {
  const ids = [resource?.id, groupId, userId, resource?.id === organizationId ? undefined : organizationId]
  const known = [...new Set(ids.filter((id) => id !== undefined))]
  const { apiKey: chosen } = useParams({ strict: false })
  if (known.length === 0 && apiKey === chosen)
    return (
      <Text span size="sm" c="dimmed">
        this API key
      </Text>
    )
  if (known.length === 0 && apiKey !== undefined) known.push(apiKey)
  return (
    <Group gap="xs" wrap="nowrap" miw={0}>
      {known.map((id) => (
        <Id key={id} copy={false}>
          {id}
        </Id>
      ))}
    </Group>
  )
}
