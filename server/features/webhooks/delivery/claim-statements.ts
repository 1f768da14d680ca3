/** SQL that claims deliveries: endpoints take turns, and each gets what its window and its rate limit allow (ADR 0019). */
import { setStatement, statement } from '#platform/db/statement.ts'
import type { DueQueue } from '#platform/jobs/due-work.ts'
import { LEASE } from '#platform/jobs/leased-rows.ts'
import type { EventRow } from '#tenancy/events/feed-statements.ts'
import type { EndpointKind } from '../endpoints/endpoint-statements.ts'
import type { MessagePlace } from '../messages/message.ts'
import { MOMENT, PACED_UNTIL } from './delivery-statements.ts'
import type { Ready } from './slots.ts'

/** A delivery that is claimed, with its event, if that still exists, and the current settings of its endpoint. */
export type ClaimedDelivery = MessagePlace & {
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

/** A claim of a sender on a delivery. */
export type ClaimOnDelivery = Pick<ClaimedDelivery, keyof MessagePlace | 'endpointKey' | 'claims'>

const hasReady = (now: string) => /* sql */ `(
         exists (select from webhook_endpoints e where e.failing_since is null and e.due_at <= ${now})
      or exists (select from webhook_endpoints e where e.failing_since is not null and e.due_at <= ${now}))`

/** Whether an endpoint has due deliveries. */
export const READY_ENDPOINTS: DueQueue = {
  name: 'webhook-deliveries',
  isDue: hasReady('(select test_now from clock)'),
}

/** Returns a row if an endpoint has due deliveries: a round that would find nothing costs no transaction. */
export const HAS_READY_ENDPOINTS = statement<object>(
  'webhook-deliveries.find-ready',
  `\n  with ${MOMENT}\n  select from moment m where ${hasReady('m.now')}`,
)

/**
 * Locks endpoints with due deliveries, in the order of their last turn, earliest first: at most `$2` that work and `$3` that
 * fail, and none of `$1`. Skips locked endpoints. Adding a delivery locks its endpoint until the commit, so only a statement
 * after this one sees all its due deliveries.
 */
export const LOCK_READY_ENDPOINTS = statement<Ready>(
  'webhook-deliveries.lock',
  /* sql */ `
  with ${MOMENT}
  select e.endpoint_key as "endpointKey", lane.works, k.workspace_id as "workspaceId", e.url from moment m
   cross join (values (true, $2::int), (false, $3::int)) lane (works, most)
   cross join lateral (
     select e.endpoint_key, e.api_key_id, e.url from webhook_endpoints e
      where (e.failing_since is null) = lane.works and e.due_at <= m.now and e.endpoint_key <> all ($1::bigint[])
      order by e.due_at limit lane.most
        for no key update skip locked
   ) e
   cross join lateral (select k.workspace_id from api_keys k where k.api_key_id = e.api_key_id limit 1) k`,
)

/**
 * Claims due deliveries of endpoints `$1`, for each endpoint at most the number in `$2` that its rate limit allows, and moves
 * the turn of the endpoint: to the end of the queue after a pause (`$3`, in ms), or to when its next delivery is due. With a
 * rate limit the endpoint then pauses for as long as the claimed deliveries may take. Runs under the locks of the endpoints.
 * A delivery whose lease is renewed meanwhile is not claimed.
 */
export const CLAIM_DELIVERIES = statement<ClaimedDelivery>(
  'webhook-deliveries.claim',
  /* sql */ `
  with ${MOMENT},
  ready as materialized (
    select e.*, a.slots, make_interval(secs => a.pause_ms / 1000.0) as pause
      from unnest($1::bigint[], $2::int[], $3::int[]) as a (endpoint_key, slots, pause_ms)
     cross join lateral (select * from webhook_endpoints e where e.endpoint_key = a.endpoint_key limit 1) e
  ),
  taken as materialized (
    select r.endpoint_key, d.stream, d.sequence, d.is_act
      from ready r cross join moment m
     cross join lateral (
       select d.stream, d.sequence, d.is_act from webhook_deliveries d
        where d.endpoint_key = r.endpoint_key and d.due_at <= m.now
        order by d.due_at, d.position limit least(r.slots, r.rate_limit)
     ) d
  ),
  leased as (
    update webhook_deliveries d set due_at = m.now + ${LEASE}, claims = d.claims + 1
      from taken t cross join moment m
     where d.endpoint_key = t.endpoint_key and d.stream = t.stream and d.sequence = t.sequence and d.is_act = t.is_act
       and d.due_at <= m.now
    returning d.*
  ),
  turn as (
    select r.endpoint_key, r.pause, t.count,
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
                         then greatest(case when t.count > 0 then least(t.next, m.now + ${LEASE}) else t.next end, m.now + t.pause,
                                       case when e.rate_limit is not null and t.count > 0
                                            then m.now + make_interval(secs => t.count::float8 / e.rate_limit)
                                            else ${PACED_UNTIL} end) end
      from turn t cross join moment m
     where e.endpoint_key = t.endpoint_key
  )
  select l.endpoint_key as "endpointKey", l.stream, l.sequence, l.is_act as "isAct", l.attempts, l.claims, m.now, r.failing_since is not null as "isFailing",
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
 * Renews the leases of deliveries that no other sender has claimed. Skips locked rows, whose transaction records their
 * results or drops them.
 */
export const RENEW_DELIVERIES = setStatement<ClaimOnDelivery, never>(
  'webhook-deliveries.renew-claims',
  { endpointKey: 'bigint', stream: 'uuid', sequence: 'bigint', isAct: 'boolean', claims: 'int' },
  /* sql */ `
  with ${MOMENT},
  held as materialized (
    select d.endpoint_key, d.stream, d.sequence, d.is_act from $input
     cross join lateral (
       select d.* from webhook_deliveries d
        where d.endpoint_key = item.endpoint_key and d.stream = item.stream and d.sequence = item.sequence and d.is_act = item.is_act
          and d.claims = item.claims offset 0 for update skip locked
     ) d
  )
  update webhook_deliveries d set due_at = m.now + ${LEASE}
    from held h cross join moment m
   where d.endpoint_key = h.endpoint_key and d.stream = h.stream and d.sequence = h.sequence and d.is_act = h.is_act`,
)
