/** The SQL statements of the attempt log, and of resending messages. */
import { statement } from '#platform/db/statement.ts'
import { MOMENT, PACED_UNTIL } from '../delivery/delivery-statements.ts'
import { DELIVERED } from '../endpoints/health-statements.ts'
import { GETS_MESSAGE, joinMessages } from './routing.ts'

export interface AttemptRow {
  /** The cursor of a list. */
  position: number
  stream: string
  sequence: number
  isAct: boolean
  eventType: string
  attempt: number
  attemptedAt: Date
  httpStatus: number | null
  error: string | null
  durationMs: number
  excerpt: string
  nextAttemptAt: Date | null
}

const ATTEMPT = /* sql */ `
  a.attempt_key as position, a.stream, a.sequence, a.is_act as "isAct", a.event_type as "eventType", a.attempt, a.attempted_at as "attemptedAt",
  a.http_status as "httpStatus", a.error, a.duration_ms as "durationMs", a.excerpt, a.next_attempt_at as "nextAttemptAt"`

/** Lists at most `$3` attempts before `$2`, latest first: delivered ones, failed ones, or both (`$4`). */
export const LIST_WEBHOOK_ATTEMPTS = statement<AttemptRow>(
  'webhook-attempts.list',
  /* sql */ `
  select ${ATTEMPT} from unnest($4::boolean[]) o (delivered)
   cross join lateral (
     select * from webhook_attempts a
      where a.endpoint_key = $1 and ${DELIVERED} = o.delivered and a.attempt_key < coalesce($2::bigint, 9223372036854775807)
      order by a.attempt_key desc limit $3::int
   ) a
   order by a.attempt_key desc limit $3::int`,
)

/** Lists the last attempt at each message that waits for another: of at most `$3` messages before `$2`, newest first. */
export const LIST_WAITING_ATTEMPTS = statement<AttemptRow>(
  'webhook-attempts.list-waiting',
  /* sql */ `
  select ${ATTEMPT}
    from (
      select d.stream, d.sequence, d.is_act, d.position from webhook_deliveries d
       where d.endpoint_key = $1 and d.attempts > 0 and d.position < coalesce($2::bigint, 9223372036854775807)
       order by d.position desc limit $3::int
    ) d
   cross join lateral (
     select d.position as attempt_key, a.stream, a.sequence, a.is_act, a.event_type, a.attempt, a.attempted_at, a.http_status, a.error,
            a.duration_ms, a.excerpt, a.next_attempt_at
       from webhook_attempts a
      where a.endpoint_key = $1 and a.stream = d.stream and a.sequence = d.sequence and a.is_act = d.is_act
      order by a.attempt_key desc limit 1
   ) a
   order by d.position desc`,
)

/** Lists the attempts of message (`$4`, `$5`, `$6`) in the same way. */
export const LIST_MESSAGE_ATTEMPTS = statement<AttemptRow>(
  'webhook-attempts.list-of-message',
  /* sql */ `
  select ${ATTEMPT} from webhook_attempts a
   where a.endpoint_key = $1 and a.stream = $4 and a.sequence = $5 and a.is_act = $6 and a.attempt_key < coalesce($2::bigint, 9223372036854775807)
   order by a.attempt_key desc limit $3::int`,
)

/** Locks an endpoint, so that it cannot be disabled while deliveries are enqueued for it. */
export const LOCK_WEBHOOK_ENDPOINT = statement<{ active: boolean }>(
  'webhook-endpoints.lock',
  'select active from webhook_endpoints where endpoint_key = $1 for no key update',
)

/**
 * Enqueues the messages of `chosen (stream, sequence, is_act, position)` for endpoint `$1`, starting with the first
 * attempt. A worker that is sending one loses its claim.
 */
const ENQUEUE = /* sql */ `
  enqueued as (
    insert into webhook_deliveries as d (endpoint_key, stream, sequence, is_act, due_at)
    select $1, c.stream, c.sequence, c.is_act, m.now from chosen c cross join moment m order by c.position
    on conflict (endpoint_key, stream, sequence, is_act) do update
       set attempts = 0, claims = d.claims + 1, due_at = excluded.due_at
    returning 1
  ),
  woken as (
    update webhook_endpoints e set due_at = greatest(least(e.due_at, m.now), ${PACED_UNTIL})
      from moment m where e.endpoint_key = $1 and exists (select from enqueued)
  )`

/**
 * Enqueues a message again; returns no row if the key `$4` has no such event, or it records no act and `$5` asks for
 * one. Runs under the lock of the endpoint.
 */
export const RESEND_WEBHOOK_MESSAGE = statement<{ type: string }>(
  'webhook-messages.resend',
  /* sql */ `
  with ${MOMENT},
  chosen as materialized (
    select v.stream, v.sequence, m.is_act, m.type, 1 as position from events v ${joinMessages('v').trim()}
     where v.stream = $2 and v.sequence = $3 and v.api_key_id = $4 and m.is_act = $5::boolean
  ),
  ${ENQUEUE}
  select type from chosen`,
)

/** Returns the number of the last event that the transaction has recorded in a stream. */
export const LAST_OF_STREAM = statement<{ sequence: number }>(
  'webhook-messages.last',
  'select event_count as sequence from event_streams where stream = $1',
)

/**
 * Enqueues the messages of the events from `$2` to before `$3` that endpoint `$1` gets, in order, or none if there are more than
 * `$4`. Returns their number. Test events (type `$5`) are excluded. `$6` and `$7` bound the ticks, if known. Runs under the
 * lock of the endpoint.
 */
export const REPLAY_WEBHOOK_MESSAGES = statement<{ messages: number }>(
  'webhook-messages.replay',
  /* sql */ `
  with ${MOMENT},
  found as materialized (
    select v.stream, v.sequence, v.is_act, row_number() over (order by v.tick, v.stream, v.sequence, v.is_act) as position
      from (select * from webhook_endpoints where endpoint_key = $1) e
     cross join lateral (
       select v.tick, v.stream, v.sequence, m.is_act from events v ${joinMessages('v').trim()}
        where v.api_key_id = e.api_key_id and v.changed_at >= $2::timestamptz and v.changed_at < $3::timestamptz
          and v.tick between coalesce($6::bigint, -9223372036854775808) and coalesce($7::bigint, 9223372036854775807)
          and v.type <> $5
          and ${GETS_MESSAGE.trim()}
          and (e.channels is null or v.organization_id = any (e.channels))
        order by v.tick, v.stream, v.sequence, m.is_act limit $4::int + 1
     ) v
  ),
  chosen as materialized (select * from found where (select count(*) from found) <= $4::int),
  ${ENQUEUE}
  select count(*) as messages from found`,
)
