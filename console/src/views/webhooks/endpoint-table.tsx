/** The table of signed endpoints, with their health. */
import type { ListedWebhookEndpoint } from '#sdk/generated/operations.ts'
import { WebhookStatusBadge } from '../../components/feedback/webhook-status.tsx'
import { type Column, DataTable } from '../../components/tables/data-table.tsx'
import { Timestamp } from '../../components/values/timestamp.tsx'
import { AnchorLink } from '../../links/links.tsx'
import { staticRows } from '../../queries/pages/rows.ts'
import { useKey } from '../../session/use-session.ts'

export function EndpointTable({ endpoints }: { endpoints: readonly ListedWebhookEndpoint[] }) {
  const { id: apiKey } = useKey()
  const columns: Column<ListedWebhookEndpoint>[] = [
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
      width: '26%',
      wideOnly: 'desktop',
      cell: ({ description }) => <bdi>{description ?? '–'}</bdi>,
    },
    {
      key: 'status',
      header: 'Status',
      width: 120,
      cell: ({ health }) => <WebhookStatusBadge status={health.status} />,
    },
    {
      key: 'failed',
      header: 'Failed in 24 h',
      width: 140,
      wideOnly: true,
      cell: ({ health: { attempts, failures } }) => (attempts === 0 ? '–' : `${failures} of ${attempts}`),
    },
    {
      key: 'success',
      header: 'Last success',
      width: 130,
      wideOnly: true,
      cell: ({ health: { lastSuccessAt } }) => (lastSuccessAt === null ? 'never' : <Timestamp at={lastSuccessAt} />),
    },
  ]
  return (
    <DataTable label="Endpoints" rows={staticRows(endpoints)} columns={columns} idOf={({ id }) => id} empty={null} />
  )
}
