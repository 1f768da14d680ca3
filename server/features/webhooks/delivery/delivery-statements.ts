/**
 * SQL that adds deliveries and counts them. A delivery waits for `due_at`; a sender that claims it moves `due_at` on by a lease,
 * so that it is due again when the sender dies (ADR 0029). `webhook_endpoints.due_at` is the turn of an endpoint: at most the
 * earliest `due_at` of its deliveries. Order of locks: endpoints by key, then streams of events; a claim waits for no lock.
 */
import { setStatement, statement } from '#platform/db/statement.ts'
import { isRepeated } from '#tenancy/events/clock-steps.ts'
import type { EventPlace } from '../messages/message.ts'
import { GETS_MESSAGE, joinMessages } from '../messages/routing.ts'

export const MOMENT = 'moment as materialized (select coalesce($now, clock_timestamp()) as now)'

/** SQL: until when the endpoint `e` pauses. No pause is longer than an hour: a later time was stored before the clock was set back. */
export const PACED_UNTIL = `case when e.paced_until <= m.now + interval '1 hour' then e.paced_until end`

/**
 * Locks the active endpoints of API keys, so that none is disabled, and none of their deliveries is dropped, while
 * deliveries are added.
 */
export const LOCK_ACTIVE_ENDPOINTS = setStatement<{ apiKeyId: string }, never>(
  'webhook-endpoints.lock-active',
  { apiKeyId: 'text' },
  /* sql */ `
  with found as materialized (
    select e.endpoint_key from $input
     cross join lateral (
       select e.endpoint_key from webhook_endpoints e where e.api_key_id = item.api_key_id and e.active offset 0
     ) e
  )
  select from webhook_endpoints e where e.endpoint_key in (select endpoint_key from found)
   order by e.endpoint_key for no key update`,
)

/** Returns the number of active endpoints of the API key that has the most. */
export const COUNT_ACTIVE_ENDPOINTS = statement<{ count: number }>(
  'webhook-endpoints.count-active',
  /* sql */ `
  select coalesce(max(found.count), 0)::int as count
    from unnest($1::text[]) as named (api_key_id)
   cross join lateral (
     select count(*) as count from webhook_endpoints e where e.api_key_id = named.api_key_id and e.active
   ) found`,
)

export interface EnqueuedEvent extends EventPlace {
  apiKeyId: string
  type: string
  organizationId: string | null
  changedAt: Date
  /** Null for events that record no act. */
  after: object | null
}

/**
 * Adds deliveries of the messages of each event to each endpoint that gets them, in the order of the events. Runs under
 * the lock of the endpoints. While the clock, which was set back, is before the moment at which an endpoint became active,
 * times do not say which events are older, nor in times that the clock has had twice, and the endpoint gets all: rather one too many than
 * none.
 */
export const ENQUEUE_DELIVERIES = setStatement<EnqueuedEvent, { enqueued: number }>(
  'webhook-deliveries.enqueue',
  {
    apiKeyId: 'text',
    stream: 'uuid',
    sequence: 'bigint',
    type: 'text',
    organizationId: 'text',
    changedAt: 'timestamptz',
    after: 'jsonb',
  },
  /* sql */ `
  with ${MOMENT},
  subscribed as materialized (
    select e.endpoint_key, item.stream, item.sequence, m.is_act, item.ord
      from $input ${joinMessages('item').trim()}
     cross join lateral (
       select e.endpoint_key from webhook_endpoints e
        where e.api_key_id = item.api_key_id and e.active
          and (item.changed_at >= date_trunc('milliseconds', e.active_since) or e.active_since > clock_timestamp()
               or ${isRepeated('item.changed_at')})
          and (e.channels is null or item.organization_id = any (e.channels))
          and ${GETS_MESSAGE.trim()} offset 0
     ) e
  ),
  enqueued as (
    insert into webhook_deliveries (endpoint_key, stream, sequence, is_act, due_at)
    select s.endpoint_key, s.stream, s.sequence, s.is_act, m.now
      from subscribed s cross join moment m order by s.ord, s.endpoint_key, s.is_act
    on conflict do nothing
    returning endpoint_key
  ),
  woken as (
    update webhook_endpoints e set due_at = greatest(least(e.due_at, m.now), ${PACED_UNTIL})
      from moment m where e.endpoint_key = any(array(select distinct endpoint_key from enqueued))
  )
  select count(*) as enqueued from enqueued`,
)

/**
 * Counts the deliveries that are due, separately for endpoints whose last attempt failed and for the others: at most 1,000
 * deliveries of each of the 1,000 endpoints whose last turn was earliest.
 */
export const COUNT_DUE = statement<{ endpoints: 'working' | 'failing'; count: number; oldestSeconds: number }>(
  'webhook-deliveries.count-due',
  /* sql */ `
  with ${MOMENT}
  select lane.endpoints, coalesce(sum(due.count), 0)::int as count,
         coalesce(extract(epoch from max(m.now - due.oldest)), 0)::float8 as "oldestSeconds"
    from moment m
   cross join (values ('working', true), ('failing', false)) lane (endpoints, works)
    left join lateral (
      select e.endpoint_key from webhook_endpoints e
       where (e.failing_since is null) = lane.works and e.due_at <= m.now order by e.due_at limit 1000
    ) e on true
    left join lateral (
      select count(*) as count, min(d.due_at) as oldest
        from (select d.due_at from webhook_deliveries d
               where d.endpoint_key = e.endpoint_key and d.due_at <= m.now order by d.due_at, d.position limit 1000) d
    ) due on true
   group by lane.endpoints`,
)
