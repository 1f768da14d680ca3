/** SQL of the health of webhooks. */
import { LIMITS } from '#contract/core/limits.ts'
import type { WebhookHealth, WebhookStatus } from '#contract/webhooks/health.ts'
import { statement } from '#platform/db/statement.ts'
import { isWithin } from '#platform/times.ts'
import { MOMENT, PACED_UNTIL } from '../delivery/delivery-statements.ts'

/** SQL: whether the attempt `a` was delivered; the expression of the index of outcomes, and `isSuccess` in schedule.ts. */
export const DELIVERED = 'coalesce(a.http_status between 200 and 299, false)'

/** SQL: the status of the endpoint `e` at `m.now`. `waits` is a condition: whether messages wait. */
const statusOf = (waits: string): string => /* sql */ `
  case when not e.active then 'disabled'
       when e.failing_since is not null or e.last_failure_at > coalesce(e.last_success_at, '-infinity') then 'failing'
       when ${waits} and ${isWithin('e.last_success_at', `interval '1 minute'`, 'm.now')} is not true then 'waiting'
       when e.last_success_at is not null then 'delivering'
       else 'never_called' end`

type Moments = 'lastSuccessAt' | 'lastFailureAt' | 'failingSince' | 'nextAttemptAt'

export type HealthRow = Omit<WebhookHealth, Moments> & { endpointKey: number } & Record<Moments, Date | null>

/**
 * Returns the health of endpoints by their keys. For each it reads a bounded number of attempts and deliveries.
 */
export const GET_HEALTH = statement<HealthRow>(
  'webhook-endpoints.health',
  /* sql */ `
  with ${MOMENT}
  select e.endpoint_key as "endpointKey", ${statusOf('d.waiting > 0')} as status, a.attempts, a.failures,
         e.last_success_at as "lastSuccessAt", e.last_failure_at as "lastFailureAt",
         e.last_failure_status as "lastFailureStatus", e.last_failure_error as "lastFailureError",
         e.failing_since as "failingSince", d.waiting, greatest(d.first_due_at, ${PACED_UNTIL}) as "nextAttemptAt"
    from unnest($1::bigint[]) named (endpoint_key) cross join moment m
   cross join lateral (select * from webhook_endpoints e where e.endpoint_key = named.endpoint_key limit 1) e
   cross join lateral (
     select count(*)::int as attempts, (count(*) filter (where not recent.delivered))::int as failures
       from (
         select a.attempted_at, o.delivered from (values (true), (false)) o (delivered)
          cross join lateral (
            select a.attempted_at, a.attempt_key from webhook_attempts a
             where a.endpoint_key = e.endpoint_key and ${DELIVERED} = o.delivered
             order by a.attempt_key desc limit ${LIMITS.webhookHealthAttemptsMax}
          ) a
          order by a.attempt_key desc limit ${LIMITS.webhookHealthAttemptsMax}
       ) recent
      where recent.attempted_at > m.now - interval '${LIMITS.webhookHealthHours} hours'
   ) a
   cross join lateral (
     select count(*)::int as waiting, min(d.due_at) as first_due_at
       from (select d.due_at from webhook_deliveries d where d.endpoint_key = e.endpoint_key
              order by d.due_at, d.position limit ${LIMITS.webhookWaitingCountedMax}) d
   ) d`,
)

export interface StatusRow {
  endpointId: string
  url: string
  status: WebhookStatus
  /** Since when it fails. If the status is `disabled`, that is why it was disabled. */
  failingSince: Date | null
}

/** Lists the webhooks of API key `$1` with their status: at most 500 signed endpoints, and the two basic URLs unless they were cleared. */
export const LIST_STATUSES = statement<StatusRow>(
  'webhook-endpoints.statuses',
  /* sql */ `
  with ${MOMENT}
  select e.endpoint_id as "endpointId", e.url, e.failing_since as "failingSince",
         ${statusOf('exists (select from webhook_deliveries d where d.endpoint_key = e.endpoint_key)')} as status
    from webhook_endpoints e cross join moment m where e.api_key_id = $1 and e.url <> '' order by e.endpoint_id`,
)
