/** The table of signed endpoints, with their health. */
import type { ListedWebhookEndpoint } from '#sdk/generated/operations.ts'
import { WebhookStatusBadge } from '../../components/feedback/webhook-status.tsx'
import { type Column, DataTable } from '../../components/tables/data-table.tsx'
import { Timestamp } from '../../components/values/timestamp.tsx'
import { AnchorLink } from '../../links/links.tsx'
import { staticRows } from '../../queries/pages/rows.ts'
import { useKey } from '../../session/use-session.ts'
import classes from './endpoint-table.module.css'

/** In small windows the path is below the host: rows have room for two lines, and cut longer ones off. */
function Address({ url }: { url: string }) {
  const [, host = url, path = ''] = /^(\w+:\/\/[^/?]+)(.*)$/.exec(url) ?? []
  return (
    <bdi className={classes.address}>
      <span>{host}</span>
      <span>{path}</span>
    </bdi>
  )
}

export function EndpointTable({ endpoints }: { endpoints: readonly ListedWebhookEndpoint[] }) {
  const { id: apiKey } = useKey()
  const columns: Column<ListedWebhookEndpoint>[] = [
    {
      key: 'url',
      header: 'URL',
      cell: ({ id, url }) => (
        <AnchorLink size="sm" to="/keys/$apiKey/webhooks/$endpointId" params={{ apiKey, endpointId: id }} title={url}>
          <Address url={url} />
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
      width: 104,
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
