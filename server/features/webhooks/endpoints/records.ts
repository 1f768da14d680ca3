/** The representation of signed webhook endpoints in responses and events. */
import type { ListedWebhookEndpoint, WebhookEndpoint } from '#contract/webhooks/endpoints.ts'
import type { WebhookHealth } from '#contract/webhooks/health.ts'
import type { EndpointRow } from './endpoint-statements.ts'

/** Returns the API representation of an endpoint. */
export const endpointOf = ({ createdAt, updatedAt, ...row }: EndpointRow): WebhookEndpoint => ({
  id: row.id,
  url: row.url,
  description: row.description,
  filterTypes: row.filterTypes,
  channels: row.channels,
  disabled: row.disabled,
  rateLimit: row.rateLimit,
  uid: row.uid,
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
})

/** Returns endpoints with their health. One without has been deleted since it was read, and is left out. */
export const listedEndpoints = (
  rows: readonly EndpointRow[],
  healths: ReadonlyMap<number, WebhookHealth>,
): ListedWebhookEndpoint[] =>
  rows.flatMap((row) => {
    const health = healths.get(row.endpointKey)
    return health === undefined ? [] : [{ ...endpointOf(row), health }]
  })

/** Returns the fields of an endpoint in events. */
export const inEvent = (row: EndpointRow) => {
  const { createdAt, updatedAt, id: endpointId, ...endpoint } = endpointOf(row)
  return { endpointId, ...endpoint, metadata: row.metadata }
}
