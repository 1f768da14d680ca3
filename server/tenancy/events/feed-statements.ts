/**
 * The SQL of the feed: all events of an API key in one order, read as the events that became visible between two snapshots
 * (ADR 0018). `seen` and `until` are snapshots; a position is (tick, stream, sequence).
 *
 * For example: transaction 100 writes an event and stays open, 101 writes one and commits. A reader reads the event of 101, and
 * its `seen` is `100:102:100`, as PostgreSQL writes snapshots: everything below 102 has ended, except 100. Then 100 commits, 102
 * writes an event and commits, and the next `until` is `103:103:`. The events that `until` sees and `seen` does not are those
 * of 100 and 102. They are read from tick 100 on (`firstTick`), because the tick of an event is never below the number of
 * its transaction; the event of 101 is scanned again and left out (`isUnread`). If 100 were still open, `until` would be
 * `100:103:100`, only the event of 102 would be unread, and reading would begin at tick 102.
 */
import type { ResourceType } from '#contract/access/permissions.ts'
import { setStatement, statement } from '#platform/db/statement.ts'
import type { Actor } from '../callers/caller.ts'

/** The bounds of all streams. No event has sequence 0, so with it they are the first and the last position of a tick. */
export const FIRST_STREAM = '00000000-0000-0000-0000-000000000000'
export const LAST_STREAM = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/**
 * The snapshot of the statement, with its own transaction counted as running. PostgreSQL counts it as finished; events that
 * it writes later would then never be unread.
 */
export const CURRENT_SNAPSHOT = /* sql */ `(
  select case when own is null or own >= pg_snapshot_xmax(now) then now
              else (pg_snapshot_xmin(now)::text || ':' || pg_snapshot_xmax(now)::text || ':'
                     || (select string_agg(xid::text, ',' order by xid)
                           from (select pg_snapshot_xip(now) union all select own) as running (xid)))::pg_snapshot end
    from (select pg_current_snapshot() as now, pg_current_xact_id_if_assigned() as own) clock)`

/**
 * Returns SQL for the tick from which to scan for events that `until` sees and `seen` does not: the first transaction that
 * was running at `seen` and has ended by `until`, or else the first one that starts after `seen`. A transaction that runs
 * for hours does not move the start back until it ends.
 */
export const firstTick = (seen: string, until: string): string => /* sql */ `
  coalesce((select min(xid) from pg_snapshot_xip(${seen}) as xid where pg_visible_in_snapshot(xid, ${until})),
           pg_snapshot_xmax(${seen}))::text::bigint`

/** Returns the condition for the events of an API key after the position of `cursor`. */
export const AFTER = (cursor: string): string =>
  `e.api_key_id = ${cursor}.api_key_id and (e.tick, e.stream, e.sequence) > (${cursor}.tick, ${cursor}.stream, ${cursor}.sequence)`

export const FEED_ORDER = 'e.tick, e.stream, e.sequence'

/** Returns the condition for an event `e` that `until` of `cursor` sees and `seen` does not. */
export const isUnread = (cursor: string): string =>
  `pg_visible_in_snapshot(e.written_by, ${cursor}.until) and not pg_visible_in_snapshot(e.written_by, ${cursor}.seen)`

/** The epoch of the database, identified by its first number: a primary that was lost may have had one with the same ordinal. */
export const CURRENT_EPOCH = '(select coalesce(max(numbered_after), 0) from database_epochs)'

/** Returns the columns `epoch`, and `isLost`: whether events that were read in an epoch up to a position of the log may be missing now. */
export const EPOCH = (epoch: string, position: string): string => /* sql */ `
  ${CURRENT_EPOCH} as epoch,
  exists (select from database_epochs d
           where d.numbered_after > ${epoch} and (d.forked_at is null or d.forked_at < ${position}))
  or ${epoch} > 0 and not exists (select from database_epochs d where d.numbered_after = ${epoch}) as "isLost"`

/** The columns of an event `e` that readers receive. */
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

/** Adds a follower. Events that the same transaction writes, before or after this, are unread. */
export const ADD_FOLLOWER = statement<never>(
  'event-followers.add',
  `insert into event_followers (consumer, api_key_id, seen) values ($1, $2, ${CURRENT_SNAPSHOT}) on conflict do nothing`,
)

export const DELETE_FOLLOWER = statement<never>(
  'event-followers.delete',
  'delete from event_followers where consumer = $1 and api_key_id = $2',
)

/** Locked rows are skipped: a reader never waits for a lock, so it cannot be part of a deadlock. */
const SKIP_LOCKED = 'skip locked'

/** The followers `f` of consumer `$1` that may have unread events. */
const MAY_BE_BEHIND = /* sql */ `event_followers f cross join clock
     cross join lateral (select ${firstTick('f.seen', 'clock.now')} as tick offset 0) first
     where f.consumer = $1 and (f.until is not null or exists (select from events e where e.api_key_id = f.api_key_id and e.tick >= first.tick))`

/** Returns a row if followers of consumer `$1` may have unread events: a poll that would find nothing costs no transaction. */
export const FIND_BEHIND = statement<object>(
  'event-followers.find-behind',
  /* sql */ `
  with clock as materialized (select ${CURRENT_SNAPSHOT} as now)
  select from ${MAY_BE_BEHIND} limit 1`,
)

/**
 * Locks followers of consumer `$1` that may have unread events, in the order of API keys: at most `$3` of the keys after
 * `$2`, without the keys `$4`. Also locks the API key against deletion, so that rows that refer to it can be written.
 */
export const CLAIM_FOLLOWERS = statement<{ apiKeyId: string }>(
  'event-followers.claim',
  /* sql */ `
  with clock as materialized (select ${CURRENT_SNAPSHOT} as now),
  claimed as materialized (
    select f.api_key_id
      from ${MAY_BE_BEHIND} and f.api_key_id > $2 and f.api_key_id <> all($4::text[])
     order by f.api_key_id limit $3::int
       for no key update of f ${SKIP_LOCKED}
  )
  select c.api_key_id as "apiKeyId"
    from claimed c
   cross join lateral (select from api_keys k where k.api_key_id = c.api_key_id for key share ${SKIP_LOCKED}) k
   order by c.api_key_id`,
)

/**
 * A row that a follower reads: an event, or nulls if there is none. `edgeTick`, `edgeStream` and `edgeSequence` are the
 * position at which the scan reached its limit before it found all requested events; null if it did not.
 */
export type ReadRow<Cursor> = Cursor &
  (EventRow | { tick: null }) & { edgeTick: number | null; edgeStream: string | null; edgeSequence: number | null }

export const EDGE = 'edge.tick as "edgeTick", edge.stream as "edgeStream", edge.sequence as "edgeSequence"'

/**
 * Reads the next events for the followers of consumer `$1` of API keys `$2`: at most `$3` for each key, scanning at
 * most `$4`. If it returns fewer and no edge, there are no more up to `until`.
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

/** The maximum number of events that are scanned for the first unread event of a follower. */
const FIRST_UNREAD_SCAN_MAX = 100

/** Counts the followers of each consumer that have unread events, and returns how long the oldest of those has waited. */
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
         select e.changed_at from (select e.* from events e where ${AFTER('place')} order by ${FEED_ORDER} limit ${FIRST_UNREAD_SCAN_MAX}) e
          where ${isUnread('place')} order by ${FEED_ORDER} limit 1
       ) first
       where f.consumer = c.consumer
    ) news on true
   group by c.consumer`,
)
