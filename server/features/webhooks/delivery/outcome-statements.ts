/** SQL that records the results of deliveries: the log, the next attempt, and endpoints that fail. */
import { setStatement, statement } from '#platform/db/statement.ts'
import { isWithin } from '#platform/times.ts'
import { isRepeated } from '#tenancy/events/clock-steps.ts'
import type { MessagePlace } from '../messages/message.ts'
import { MOMENT, PACED_UNTIL } from './delivery-statements.ts'

/**
 * The result of a claimed delivery. `released` was not tried; `dropped` cannot be tried: its event no longer exists; `moved` failed
 * at a URL that its endpoint no longer has.
 */
export type Outcome = 'delivered' | 'failed' | 'exhausted' | 'gone' | 'moved' | 'released' | 'dropped'

export interface OutcomeRow extends MessagePlace {
  endpointKey: number
  claims: number
  outcome: Outcome
  eventType: string
  attempt: number
  attemptedAt: Date
  httpStatus: number | null
  error: string | null
  durationMs: number
  excerpt: string
  /** The time until the next attempt; null: there is none. */
  waitMs: number | null
  /** How long the endpoint has asked to be left alone. */
  pauseMs: number
}

/** Locks endpoints before the results of their deliveries are recorded, and returns the URLs that they have now. */
export const LOCK_TRIED_ENDPOINTS = setStatement<{ endpointKey: number }, { endpointKey: number; url: string }>(
  'webhook-endpoints.lock-tried',
  { endpointKey: 'bigint' },
  /* sql */ `
  with tried as materialized (select endpoint_key from $input)
  select e.endpoint_key as "endpointKey", e.url from webhook_endpoints e
   where e.endpoint_key in (select endpoint_key from tried) order by e.endpoint_key for no key update`,
)

/**
 * Records the results of deliveries. A sender whose lease had expired, or whose message was added again meanwhile, only adds
 * to the log. The time of the last delivery is written once a second. Returns the active endpoints that are failing.
 */
export const RECORD_OUTCOMES = setStatement<OutcomeRow, { endpointKey: number; failingDays: number }>(
  'webhook-deliveries.record',
  {
    endpointKey: 'bigint',
    stream: 'uuid',
    sequence: 'bigint',
    isAct: 'boolean',
    claims: 'int',
    outcome: 'text',
    eventType: 'text',
    attempt: 'int',
    attemptedAt: 'timestamptz',
    httpStatus: 'int',
    error: 'text',
    durationMs: 'int',
    excerpt: 'text',
    waitMs: 'bigint',
    pauseMs: 'bigint',
  },
  /* sql */ `
  with ${MOMENT},
  result as materialized (
    select item.*, m.now + make_interval(secs => item.wait_ms / 1000.0) as next_at from $input cross join moment m
  ),
  held as materialized (
    select e.endpoint_key from webhook_endpoints e where e.endpoint_key in (select endpoint_key from result)
     order by e.endpoint_key for no key update
  ),
  done as (
    delete from webhook_deliveries d using result r
     where d.endpoint_key = r.endpoint_key and d.stream = r.stream and d.sequence = r.sequence and d.is_act = r.is_act and d.claims = r.claims
       and r.next_at is null
  ),
  waiting as (
    update webhook_deliveries d
       set attempts = case when r.outcome in ('moved', 'released') then d.attempts else r.attempt end, due_at = r.next_at,
           claims = d.claims + 1 -- a renewal under way must not move it
      from result r
     where d.endpoint_key = r.endpoint_key and d.stream = r.stream and d.sequence = r.sequence and d.is_act = r.is_act and d.claims = r.claims
       and r.next_at is not null
  ),
  logged as (
    insert into webhook_attempts (endpoint_key, stream, sequence, is_act, event_type, attempt, attempted_at, http_status, error,
                                  duration_ms, excerpt, next_attempt_at)
    select r.endpoint_key, r.stream, r.sequence, r.is_act, r.event_type, r.attempt, r.attempted_at, r.http_status, r.error,
           r.duration_ms, r.excerpt, r.next_at
      from result r join held h on h.endpoint_key = r.endpoint_key
     where r.outcome not in ('released', 'dropped')
     order by r.ord
  ),
  of_endpoint as (
    select endpoint_key, min(next_at) as next_at, max(pause_ms) as pause_ms,
           bool_or(outcome = 'delivered') as delivered, bool_or(outcome in ('failed', 'exhausted', 'gone')) as failed,
           max(ord) filter (where outcome in ('failed', 'exhausted', 'gone')) as last_failed
      from result group by endpoint_key
  ),
  noted as (
    update webhook_endpoints e
       set failing_since = case when o.delivered then null when o.failed then least(e.failing_since, m.now)
                                else e.failing_since end,
           last_success_at = case when o.delivered then m.now else e.last_success_at end,
           last_failure_at = case when o.failed then m.now else e.last_failure_at end,
           last_failure_status = case when o.failed then f.http_status else e.last_failure_status end,
           last_failure_error = case when o.failed then f.error else e.last_failure_error end,
           paced_until = case when o.pause_ms > 0
                              then greatest(${PACED_UNTIL}, m.now + make_interval(secs => o.pause_ms / 1000.0))
                              else e.paced_until end,
           due_at = case when e.active and o.next_at is null and o.pause_ms = 0 then e.due_at
                         when e.active then greatest(least(e.due_at, o.next_at), ${PACED_UNTIL},
                                   case when o.pause_ms > 0 then m.now + make_interval(secs => o.pause_ms / 1000.0) end)
                         end
      from of_endpoint o left join result f on f.ord = o.last_failed cross join moment m
     where (select count(*) from held) >= 0 -- locks them first
       and e.endpoint_key = o.endpoint_key and (e.active or o.delivered)
       and (o.failed or o.next_at is not null or o.pause_ms > 0
            or o.delivered and (e.failing_since is not null
                                or ${isWithin('e.last_success_at', `interval '1 second'`, 'm.now')} is not true))
    returning e.endpoint_key, e.active, extract(epoch from m.now - e.failing_since)::float8 / 86400 as failing_days
  )
  select endpoint_key as "endpointKey", failing_days as "failingDays" from noted where active and failing_days is not null`,
)

/** Disables endpoints and drops their deliveries. Returns those that were active. */
export const DISABLE_ENDPOINTS = setStatement<
  { endpointKey: number },
  { endpointKey: number; endpointId: string; url: string; failingSince: Date | null }
>(
  'webhook-endpoints.disable',
  { endpointKey: 'bigint' },
  /* sql */ `
  with disabled as (
    update webhook_endpoints e
       set disabled = true, active = false, due_at = null, updated_at = coalesce($now, clock_timestamp())
      from $input where e.endpoint_key = item.endpoint_key and e.active
    returning e.*
  ),
  dropped as (
    delete from webhook_deliveries d using $input where d.endpoint_key = item.endpoint_key
  )
  select endpoint_key as "endpointKey", endpoint_id as "endpointId", url, failing_since as "failingSince" from disabled`,
)

/**
 * Deletes attempts that are `$1` days old, the oldest `$2` at a time. They are in the order of their keys: only after the clock was set
 * back, those that are not old must be passed over.
 */
export const DELETE_OLD_ATTEMPTS = statement<{ deleted: number }>(
  'webhook-attempts.delete-old',
  /* sql */ `
  with clock as materialized (select coalesce($now, clock_timestamp()) - make_interval(days => $1::int) as until),
  oldest as materialized (
    select attempt_key, attempted_at from webhook_attempts
     where not ${isRepeated('(select until from clock)')} or attempted_at < (select until from clock)
     order by attempt_key limit $2::int
  ),
  deleted as (
    delete from webhook_attempts a using oldest o
     where a.attempt_key = o.attempt_key and o.attempted_at < (select until from clock)
    returning 1
  )
  select count(*) as deleted from deleted`,
)
