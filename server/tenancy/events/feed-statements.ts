/**
 * Every SQL text of the feed: all events of an API key in one order, as what became visible between two snapshots
 * (ADR 0018). `seen` and `until` are snapshots, a place is (tick, stream, sequence).
 */
import type { ResourceType } from '#contract/permissions.ts'
import { setStatement, statement } from '#platform/db/statement.ts'
import type { Actor } from '../callers/caller.ts'

/** Of all streams; no event has the number 0, so with that they are the first and the last place of a tick. */
export const FIRST_STREAM = '00000000-0000-0000-0000-000000000000'
export const LAST_STREAM = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/**
 * The snapshot of the statement. PostgreSQL counts the own transaction of a snapshot among those that have ended; what
 * it writes after this would then never be news. So it is put among those that are under way.
 */
export const CURRENT_SNAPSHOT = /* sql */ `(
  select case when own is null or own >= pg_snapshot_xmax(now) then now
              else (pg_snapshot_xmin(now)::text || ':' || pg_snapshot_xmax(now)::text || ':'
                     || (select string_agg(xid::text, ',' order by xid)
                           from (select pg_snapshot_xip(now) union all select own) as running (xid)))::pg_snapshot end
    from (select pg_current_snapshot() as now, pg_current_xact_id_if_assigned() as own) clock)`

/**
 * Where what `until` sees and `seen` does not begins: at the first transaction that ended in between, of those that were
 * under way, or else after all that had begun. One that goes on for hours is not gone back to before it ends.
 */
export const firstTick = (seen: string, until: string): string => /* sql */ `
  coalesce((select min(xid) from pg_snapshot_xip(${seen}) as xid where pg_visible_in_snapshot(xid, ${until})),
           pg_snapshot_xmax(${seen}))::text::bigint`

/** The events of an API key after the place of `cursor`, and their order. */
export const AFTER = (cursor: string): string =>
  `e.api_key_id = ${cursor}.api_key_id and (e.tick, e.stream, e.sequence) > (${cursor}.tick, ${cursor}.stream, ${cursor}.sequence)`
export const FEED_ORDER = 'e.tick, e.stream, e.sequence'

/** Whether an event `e` is among what `until` of `cursor` sees and `seen` does not. */
export const isUnread = (cursor: string): string =>
  `pg_visible_in_snapshot(e.written_by, ${cursor}.until) and not pg_visible_in_snapshot(e.written_by, ${cursor}.seen)`

/** The columns of an event `e` that readers get. */
export const EVENT = /* sql */ `
  e.tick, e.stream, e.sequence, e.type, e.api_key_id as "apiKeyId", e.organization_id as "organizationId",
  e.resource_kind as "resourceKind", e.resource_id as "resourceId", e.user_id as "userId", e.actor, e.before, e.after,
  e.changed_at as "changedAt"`

export interface EventRow {
  tick: number
  stream: string
  sequence: number
  type: string
  apiKeyId: string | null
  organizationId: string | null
  resourceKind: ResourceType | null
  resourceId: string | null
  userId: string | null
  actor: Actor | { system: string }
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
  changedAt: Date
}

/** What the transaction itself writes, before this or after it, is news. */
export const ADD_FOLLOWER = statement<never>(
  'event-followers.add',
  `insert into event_followers (consumer, api_key_id, seen) values ($1, $2, ${CURRENT_SNAPSHOT}) on conflict do nothing`,
)

export const DELETE_FOLLOWER = statement<never>(
  'event-followers.delete',
  'delete from event_followers where consumer = $1 and api_key_id = $2',
)

/** A follower waits for nothing that it does not find free, so nobody who holds what it needs ever waits for each other. */
const FREE = 'skip locked'

/**
 * Locks the followers of consumer `$1` after API key `$2`, in the order of keys, that may have news: at most `$3`, and
 * none of `$4`. The key is held with it: it is not deleted meanwhile, so what refers to it can be written.
 */
export const CLAIM_FOLLOWERS = statement<{ apiKeyId: string }>(
  'event-followers.claim',
  /* sql */ `
  with clock as materialized (select ${CURRENT_SNAPSHOT} as now),
  claimed as materialized (
    select f.api_key_id
      from event_followers f cross join clock
     cross join lateral (select ${firstTick('f.seen', 'clock.now')} as tick offset 0) first
     where f.consumer = $1 and f.api_key_id > $2 and f.api_key_id <> all($4::text[])
       and (f.until is not null or exists (select from events e where e.api_key_id = f.api_key_id and e.tick >= first.tick))
     order by f.api_key_id limit $3::int
       for no key update of f ${FREE}
  )
  select c.api_key_id as "apiKeyId"
    from claimed c
   cross join lateral (select from api_keys k where k.api_key_id = c.api_key_id for key share ${FREE}) k
   order by c.api_key_id`,
)

/**
 * A row of what a follower reads: an event, or nulls where there is none. `edgeTick`, `edgeStream`, `edgeSequence`: the place
 * at which the look ended before all of the events asked for were found; null where it did not.
 */
export type ReadRow<Cursor> = Cursor &
  (EventRow | { tick: null }) & { edgeTick: number | null; edgeStream: string | null; edgeSequence: number | null }

export const EDGE = 'edge.tick as "edgeTick", edge.stream as "edgeStream", edge.sequence as "edgeSequence"'

/**
 * The next events for the followers of consumer `$1` of API keys `$2`: at most `$3` of each, looking at `$4`. Where there
 * are fewer and no edge, there is nothing more up to `until`.
 */
export const READ_FOLLOWED = statement<ReadRow<{ follower: string; until: string }>>(
  'event-followers.read',
  /* sql */ `
  with clock as materialized (select ${CURRENT_SNAPSHOT} as now),
  claimed as materialized (
    select f.*, coalesce(f.until, clock.now) as now
      from unnest($2::text[]) as named (api_key_id)
     cross join clock
     cross join lateral (
       select * from event_followers f where f.consumer = $1 and f.api_key_id = named.api_key_id limit 1
     ) f
  ),
  follower as materialized (
    select api_key_id, seen, now as until, coalesce(tick, ${firstTick('seen', 'now')}) as tick,
           coalesce(stream, '${FIRST_STREAM}') as stream, coalesce(sequence, 0) as sequence
      from claimed
  ),
  found as materialized (
    select e.*
      from follower f
     cross join lateral (
       select * from (select e.* from events e where ${AFTER('f')} order by ${FEED_ORDER} limit $4::int) e
        where ${isUnread('f')} order by ${FEED_ORDER} limit $3::int
     ) e
  )
  select f.api_key_id as follower, f.until::text, ${EDGE}, ${EVENT}
    from follower f
    left join lateral (
      select e.tick, e.stream, e.sequence from events e
       where ${AFTER('f')} and (select count(*) from found where found.api_key_id = f.api_key_id) < $3::int
       order by ${FEED_ORDER} offset $4::int - 1 limit 1
    ) edge on true
    left join found e on e.api_key_id = f.api_key_id
   order by f.api_key_id, ${FEED_ORDER}`,
)

export interface FollowerPosition {
  consumer: string
  apiKeyId: string
  until: string
  /** Null: it has read everything that `until` sees. */
  tick: number | null
  stream: string | null
  sequence: number | null
}

export const SET_FOLLOWERS = setStatement<FollowerPosition, never>(
  'event-followers.set',
  { consumer: 'text', apiKeyId: 'text', until: 'text', tick: 'bigint', stream: 'uuid', sequence: 'bigint' },
  /* sql */ `
  update event_followers f
     set seen = case when item.tick is null then item.until::pg_snapshot else f.seen end,
         until = case when item.tick is null then null else item.until::pg_snapshot end,
         tick = item.tick, stream = item.stream, sequence = item.sequence
    from $input
   where f.consumer = item.consumer and f.api_key_id = item.api_key_id`,
)

/** So many events are looked at for the first that a follower has not read. */
const FIRST_NEWS_LOOK = 100

/** The followers of each consumer that have events to read, and for how long the first of those has waited. */
export const COUNT_BEHIND = statement<{ consumer: string; count: number; oldestSeconds: number }>(
  'event-followers.count-behind',
  /* sql */ `
  with clock as materialized (select ${CURRENT_SNAPSHOT} as now)
  select c.consumer, count(news.changed_at)::int as count,
         coalesce(extract(epoch from max(clock_timestamp() - news.changed_at)), 0)::float8 as "oldestSeconds"
    from (values ('webhooks'), ('mail')) c (consumer)
    left join lateral (
      select first.changed_at
        from event_followers f cross join clock
       cross join lateral (
         select f.api_key_id, f.seen, coalesce(f.until, clock.now) as until,
                coalesce(f.tick, ${firstTick('f.seen', 'clock.now')}) as tick, coalesce(f.stream, '${FIRST_STREAM}') as stream,
                coalesce(f.sequence, 0) as sequence offset 0
       ) place
       cross join lateral (
         select e.changed_at from (select e.* from events e where ${AFTER('place')} order by ${FEED_ORDER} limit ${FIRST_NEWS_LOOK}) e
          where ${isUnread('place')} order by ${FEED_ORDER} limit 1
       ) first
       where f.consumer = c.consumer
    ) news on true
   group by c.consumer`,
)
