/** Reads the health of webhooks: of single ones for the API, and of all of an API key for the overview of the console. */
import type { WebhookHealth, WebhookStatus } from '#contract/webhooks/health.ts'
import type { Session } from '#platform/db/db.ts'
import { GET_HEALTH, type HealthRow, LIST_STATUSES, type StatusRow } from './health-statements.ts'

const timeOf = (date: Date | null): number | null => date?.getTime() ?? null

const healthOf = ({ endpointKey: _key, ...row }: HealthRow): WebhookHealth => ({
  ...row,
  lastSuccessAt: timeOf(row.lastSuccessAt),
  lastFailureAt: timeOf(row.lastFailureAt),
  failingSince: timeOf(row.failingSince),
  nextAttemptAt: row.waiting === 0 ? null : timeOf(row.nextAttemptAt),
})

/** Returns the health of endpoints by their keys. One that was deleted meanwhile is missing. */
export async function readHealth(
  session: Session,
  endpointKeys: readonly number[],
): Promise<ReadonlyMap<number, WebhookHealth>> {
  const rows = endpointKeys.length === 0 ? [] : await session.run(GET_HEALTH, [endpointKeys])
  return new Map(rows.map((row) => [row.endpointKey, healthOf(row)]))
}

/** How many webhooks the overview names. */
const NAMED_MAX = 5

export interface WebhookSummary {
  /** How many webhooks have each status; those with none are missing. */
  statuses: Partial<Record<WebhookStatus, number>>
  /**
   * The first webhooks that fail, or were disabled because they failed. They have no URLs, which only the scope `admin` may
   * read. Times are in milliseconds.
   */
  troubled: { endpointId: string; status: WebhookStatus; failingSince: number | null }[]
}

export async function summarizeWebhooks(session: Session, apiKeyId: string): Promise<WebhookSummary> {
  const rows = await session.run(LIST_STATUSES, [apiKeyId])
  const statuses: WebhookSummary['statuses'] = {}
  for (const { status } of rows) statuses[status] = (statuses[status] ?? 0) + 1
  return { statuses, troubled: troubledAmong(rows).map(({ url: _url, ...webhook }) => webhook) }
}

/** Returns the same webhooks as `troubled`, with their URLs. */
export const listTroubledWebhooks = async (session: Session, apiKeyId: string) =>
  troubledAmong(await session.run(LIST_STATUSES, [apiKeyId]))

const troubledAmong = (rows: readonly StatusRow[]) =>
  rows
    .filter(({ status, failingSince }) => status === 'failing' || (status === 'disabled' && failingSince !== null))
    .slice(0, NAMED_MAX)
    .map(({ failingSince, ...row }) => ({ ...row, failingSince: timeOf(failingSince) }))
