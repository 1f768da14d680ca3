/**
 * Every SQL text of deliveries. A delivery waits until `due_at`; who takes it moves that on by a lease, so that it is due
 * again when the taker dies. `webhook_endpoints.due_at` is where the next one of an endpoint is looked for, and endpoints
 * take turns by it. Locks: endpoints in the order of their keys, then streams of events; a taker waits for none.
 */
import { setStatement, statement } from '#platform/db/statement.ts'
import type { EventRow } from '#tenancy/events/feed-statements.ts'
import type { EndpointKind } from './endpoint-statements.ts'
import type { EventPlace } from './message.ts'

/** Longer than an attempt takes, with the time to note what came of it. */
const LEASE = `interval '30 seconds'`

export const MOMENT = 'moment as materialized (select coalesce($now, clock_timestamp()) as now)'

/** Endpoints of API keys that get events, so that none is switched off, and none of their deliveries is dropped, meanwhile. */
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

export interface EnqueuedEvent extends EventPlace {
  apiKeyId: string
  type: string
  organizationId: string | null
  changedAt: Date
}

/** Makes a delivery of each event for each endpoint that wants it, in the order of the events. Runs under the lock of the endpoints. */
export const ENQUEUE_DELIVERIES = setStatement<EnqueuedEvent, { enqueued: number }>(
  'webhook-deliveries.enqueue',
  {
    apiKeyId: 'text',
    stream: 'uuid',
    sequence: 'bigint',
    type: 'text',
    organizationId: 'text',
    changedAt: 'timestamptz',
  },
  /* sql */ `
  with ${MOMENT},
  wanted as materialized (
    select e.endpoint_key, item.stream, item.sequence, item.ord
      from $input
     cross join lateral (
       select e.endpoint_key from webhook_endpoints e
        where e.api_key_id = item.api_key_id and e.active and item.changed_at >= date_trunc('milliseconds', e.active_since)
          and (e.filter_types is null or item.type = any (e.filter_types))
          and (e.channels is null or item.organization_id = any (e.channels)) offset 0
     ) e
  ),
  enqueued as (
    insert into webhook_deliveries (endpoint_key, stream, sequence, due_at)
    select w.endpoint_key, w.stream, w.sequence, m.now from wanted w cross join moment m order by w.ord, w.endpoint_key
    on conflict do nothing
    returning endpoint_key
  ),
  woken as (
    update webhook_endpoints e set due_at = greatest(least(e.due_at, m.now), e.paced_until)
      from (select distinct endpoint_key from enqueued) n cross join moment m
     where e.endpoint_key = n.endpoint_key
  )
  select count(*) as enqueued from enqueued`,
)

/** A delivery that is taken, with its event, if that is still there, and what its endpoint is like now. */
export type ClaimedDelivery = EventPlace & {
  endpointKey: number
  endpointId: string
  kind: EndpointKind
  url: string
  apiKeyId: string
  workspaceId: string
  attempts: number
  claims: number
  now: Date
  isFailing: boolean
  secretSealed: Buffer | null
  previousSecretSealed: Buffer | null
  authTokenSealed: Buffer | null
  encodeData: boolean | null
  encryptData: boolean | null
  publicKey: string | null
} & (Omit<EventRow, 'tick' | 'stream' | 'sequence' | 'apiKeyId'> | { type: null })

/** An endpoint that is held; `works`: its last attempt did not fail. */
export interface ReadyEndpoint {
  endpointKey: number
  works: boolean
}

/**
 * Holds endpoints at which something is due, those first whose turn is the longest ago: at most `$2` that work and `$3` that
 * fail, and none of `$1`. One that somebody else holds is passed over. Whoever puts a delivery in holds its endpoint until
 * that is committed, so only a statement after this one knows all that is due there.
 */
export const LOCK_READY_ENDPOINTS = statement<ReadyEndpoint>(
  'webhook-deliveries.lock',
  /* sql */ `
  with ${MOMENT}
  select e.endpoint_key as "endpointKey", lane.works from moment m
   cross join (values (true, $2::int), (false, $3::int)) lane (works, most)
   cross join lateral (
     select e.endpoint_key from webhook_endpoints e
      where (e.failing_since is null) = lane.works and e.due_at <= m.now and e.endpoint_key <> all ($1::bigint[])
      order by e.due_at limit lane.most
        for no key update skip locked
   ) e`,
)

/**
 * Takes deliveries that are due of endpoints `$1`, of each as many as `$2` says and its rate limit allows, and moves the turn
 * of the endpoint on: to the end of the line, or to when its next one is due. With a rate limit it rests for as long as
 * what it gets may take. Runs under their locks.
 */
export const CLAIM_DELIVERIES = statement<ClaimedDelivery>(
  'webhook-deliveries.claim',
  /* sql */ `
  with ${MOMENT},
  ready as materialized (
    select e.*, a.slots from unnest($1::bigint[], $2::int[]) as a (endpoint_key, slots)
     cross join lateral (select * from webhook_endpoints e where e.endpoint_key = a.endpoint_key limit 1) e
  ),
  taken as materialized (
    select r.endpoint_key, d.stream, d.sequence
      from ready r cross join moment m
     cross join lateral (
       select d.stream, d.sequence from webhook_deliveries d
        where d.endpoint_key = r.endpoint_key and d.due_at <= m.now
        order by d.due_at, d.position limit least(r.slots, r.rate_limit)
     ) d
  ),
  leased as (
    update webhook_deliveries d set due_at = m.now + ${LEASE}, claims = d.claims + 1
      from taken t cross join moment m
     where d.endpoint_key = t.endpoint_key and d.stream = t.stream and d.sequence = t.sequence
    returning d.*
  ),
  turn as (
    select r.endpoint_key, t.count,
           (select d.due_at from webhook_deliveries d where d.endpoint_key = r.endpoint_key
             order by d.due_at, d.position offset t.count limit 1) as next
      from ready r
     cross join lateral (select count(*) as count from taken t where t.endpoint_key = r.endpoint_key) t
  ),
  turned as (
    update webhook_endpoints e
       set paced_until = case when e.rate_limit is not null and t.count > 0
                              then m.now + make_interval(secs => t.count::float8 / e.rate_limit) else e.paced_until end,
           due_at = case when t.count > 0 or t.next is not null
                         then greatest(case when t.count > 0 then least(t.next, m.now + ${LEASE}) else t.next end, m.now,
                                       case when e.rate_limit is not null and t.count > 0
                                            then m.now + make_interval(secs => t.count::float8 / e.rate_limit)
                                            else e.paced_until end) end
      from turn t cross join moment m
     where e.endpoint_key = t.endpoint_key
  )
  select l.endpoint_key as "endpointKey", l.stream, l.sequence, l.attempts, l.claims, m.now, r.failing_since is not null as "isFailing",
         r.endpoint_id as "endpointId", r.kind, r.url, r.api_key_id as "apiKeyId", k.workspace_id as "workspaceId",
         r.secret_sealed as "secretSealed",
         case when r.previous_secret_until > m.now then r.previous_secret_sealed end as "previousSecretSealed",
         case when r.kind <> 'signed' then k.webhook_service_token_sealed end as "authTokenSealed",
         case when r.kind = 'signed' then s.encode_data else (k.webhook_service_config->>'encodeData')::boolean end as "encodeData",
         case when r.kind = 'signed' then s.encrypt_data else (k.webhook_service_config->>'encryptData')::boolean end as "encryptData",
         case when r.kind = 'signed' then s.public_key else k.webhook_service_config->>'publicKey' end as "publicKey",
         v.type, v.organization_id as "organizationId", v.resource_kind as "resourceKind", v.resource_id as "resourceId",
         v.user_id as "userId", v.actor, v.before, v.after, v.changed_at as "changedAt"
    from leased l cross join moment m
    join ready r on r.endpoint_key = l.endpoint_key
   cross join lateral (select * from api_keys k where k.api_key_id = r.api_key_id limit 1) k
    left join lateral (select * from webhook_settings s where s.api_key_id = r.api_key_id limit 1) s on true
    left join lateral (select * from events v where v.stream = l.stream and v.sequence = l.sequence limit 1) v on true
   order by l.position`,
)

/**
 * What is due at endpoints whose last attempt did not fail, and at those where it did: so many deliveries of so many endpoints
 * at most, those first whose turn is the longest ago.
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

/** What became of a delivery that was taken. `released` was not tried, `dropped` cannot be: its event is gone. */
export type Outcome = 'delivered' | 'failed' | 'exhausted' | 'gone' | 'released' | 'dropped'

export interface OutcomeRow extends EventPlace {
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
  /** Until the next attempt; null: there is none. */
  waitMs: number | null
  /** For which the endpoint wants to be left alone. */
  pauseMs: number
}

/**
 * Writes what became of deliveries. Who was overtaken, because its lease was over or the message was put in again, only
 * adds to the log. Answers endpoints that are to be disabled.
 */
export const RECORD_OUTCOMES = setStatement<OutcomeRow, { endpointKey: number; failingDays: number }>(
  'webhook-deliveries.record',
  {
    endpointKey: 'bigint',
    stream: 'uuid',
    sequence: 'bigint',
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
     where d.endpoint_key = r.endpoint_key and d.stream = r.stream and d.sequence = r.sequence and d.claims = r.claims
       and r.next_at is null
  ),
  waiting as (
    update webhook_deliveries d
       set attempts = case when r.outcome = 'released' then d.attempts else r.attempt end, due_at = r.next_at
      from result r
     where d.endpoint_key = r.endpoint_key and d.stream = r.stream and d.sequence = r.sequence and d.claims = r.claims
       and r.next_at is not null
  ),
  logged as (
    insert into webhook_attempts (endpoint_key, stream, sequence, event_type, attempt, attempted_at, http_status, error,
                                  duration_ms, excerpt, next_attempt_at)
    select r.endpoint_key, r.stream, r.sequence, r.event_type, r.attempt, r.attempted_at, r.http_status, r.error,
           r.duration_ms, r.excerpt, r.next_at
      from result r join held h on h.endpoint_key = r.endpoint_key
     where r.outcome not in ('released', 'dropped')
     order by r.ord
  ),
  of_endpoint as (
    select endpoint_key, min(next_at) as next_at, max(pause_ms) as pause_ms,
           bool_or(outcome = 'delivered') as delivered, bool_or(outcome in ('failed', 'exhausted', 'gone')) as failed
      from result group by endpoint_key
  ),
  noted as (
    update webhook_endpoints e
       set failing_since = case when o.delivered then null when o.failed then coalesce(e.failing_since, m.now)
                                else e.failing_since end,
           paced_until = case when o.pause_ms > 0
                              then greatest(e.paced_until, m.now + make_interval(secs => o.pause_ms / 1000.0))
                              else e.paced_until end,
           due_at = case when e.active then greatest(least(e.due_at, o.next_at), e.paced_until,
                                   case when o.pause_ms > 0 then m.now + make_interval(secs => o.pause_ms / 1000.0) end)
                         end
      from of_endpoint o cross join moment m
     where (select count(*) from held) >= 0 -- which comes first
       and e.endpoint_key = o.endpoint_key and (e.active or o.delivered)
       and (o.delivered and e.failing_since is not null or o.failed or o.next_at is not null or o.pause_ms > 0)
    returning e.endpoint_key, e.active, extract(epoch from m.now - e.failing_since)::float8 / 86400 as failing_days
  )
  select endpoint_key as "endpointKey", failing_days as "failingDays" from noted where active and failing_days is not null`,
)

/** Nothing more is sent to these, and what waits is dropped. Answers those that were not disabled before. */
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

export interface NamedPlace {
  endpointKey: number
  apiKeyId: string
  organizationKey: string
  organizationId: string | null
  resourceKind: string | null
  resourceId: string | null
  userId: string | null
}

/** The names, as they are now, of what events are about. The stream of an event inside an organization is the organization's key. */
export const NAME_EVENTS = setStatement<
  NamedPlace,
  {
    ord: number
    organizationName: string | null
    resourceName: string | null
    userName: string | null
    userEmail: string | null
  }
>(
  'webhook-deliveries.name',
  {
    apiKeyId: 'text',
    organizationKey: 'uuid',
    organizationId: 'text',
    resourceKind: 'text',
    resourceId: 'text',
    userId: 'text',
  },
  /* sql */ `
  select item.ord, o.name as "organizationName", r.name as "resourceName", u.profile->>'name' as "userName", u.profile->>'email' as "userEmail"
    from $input
    left join lateral (
      select o.name from organizations o where item.organization_id is not null and o.organization_key = item.organization_key limit 1
    ) o on true
    left join lateral (
      select r.name from resources r
       where r.organization_key = item.organization_key and r.kind = item.resource_kind::resource_kind and r.id = item.resource_id limit 1
    ) r on true
    left join lateral (
      select u.profile from users u where u.api_key_id = item.api_key_id and u.user_id = item.user_id limit 1
    ) u on true`,
)

/** Forgets attempts that are `$1` days old, the oldest `$2` at a time. */
export const DELETE_OLD_ATTEMPTS = statement<{ deleted: number }>(
  'webhook-attempts.delete-old',
  /* sql */ `
  with oldest as materialized (
    select attempt_key, attempted_at from webhook_attempts order by attempt_key limit $2::int
  ),
  deleted as (
    delete from webhook_attempts a using oldest o
     where a.attempt_key = o.attempt_key
       and o.attempted_at < coalesce($now, clock_timestamp()) - make_interval(days => $1::int)
    returning 1
  )
  select count(*) as deleted from deleted`,
)
