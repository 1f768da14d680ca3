/** The table of signed endpoints. */
import type { WebhookEndpoint } from '#sdk/generated/operations.ts'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { EnabledBadge } from '../../components/state-badge.tsx'
import { Timestamp } from '../../components/timestamp.tsx'
import { staticRows } from '../../queries/rows.ts'
import { useKey } from '../../session/use-session.ts'
import { AnchorLink } from '../../shell/links.tsx'

const listed = (values: readonly string[] | null): string => (values === null ? 'all' : values.join(', '))

export function EndpointTable({ endpoints }: { endpoints: readonly WebhookEndpoint[] }) {
  const { id: apiKey } = useKey()
  const columns: Column<WebhookEndpoint>[] = [
    {
      key: 'url',
      header: 'URL',
      cell: ({ id, url }) => (
        <AnchorLink size="sm" to="/keys/$apiKey/webhooks/$endpointId" params={{ apiKey, endpointId: id }} title={url}>
          <bdi>{url}</bdi>
        </AnchorLink>
      ),
    },
    {
      key: 'description',
      header: 'Description',
      width: '22%',
      wideOnly: true,
      cell: ({ description }) => <bdi>{description ?? '–'}</bdi>,
    },
    {
      key: 'types',
      header: 'Events',
      width: '22%',
      wideOnly: true,
      cell: ({ filterTypes }) => <span title={listed(filterTypes)}>{listed(filterTypes)}</span>,
    },
    {
      key: 'state',
      header: 'State',
      width: 110,
      cell: ({ disabled }) => <EnabledBadge disabled={disabled} />,
    },
    {
      key: 'changed',
      header: 'Changed',
      width: 130,
      wideOnly: true,
      cell: ({ updatedAt }) => <Timestamp at={Date.parse(updatedAt)} />,
    },
  ]
  return (
    <DataTable label="Endpoints" rows={staticRows(endpoints)} columns={columns} idOf={({ id }) => id} empty={null} />
  )
}
