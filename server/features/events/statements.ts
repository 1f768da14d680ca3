/**
 * The SQL statements that list events. A page examines at most `$10` rows in its order, and returns at most `$11` of those
 * that match the filters `$1` to `$9`.
 */
import { statement } from '#platform/db/statement.ts'
import {
  AFTER,
  CURRENT_SNAPSHOT,
  EDGE,
  EPOCH,
  EVENT,
  FEED_ORDER,
  FIRST_STREAM,
  firstTick,
  isUnread,
  type ReadRow,
} from '#tenancy/events/feed-statements.ts'
import { withinPage } from '#tenancy/page-bytes.ts'

/** Whether an event `e` matches the filters; a null filter matches all. */
const MATCHES = /* sql */ `
  ($1::text[] is null or e.type = any($1::text[]))
  and ($2::text is null or e.user_id = $2::text)
  and ($3::resource_kind is null or e.resource_kind = $3::resource_kind and e.resource_id = $4::text
       or $3::resource_kind = 'organization' and e.type like 'organization.%')
  and ($5::jsonb is null or e.actor @> $5::jsonb)
  and ($6::boolean is null or (e.actor ->> 'system' is not null) = $6::boolean)
  and ($7::timestamptz is null or e.changed_at >= $7::timestamptz)
  and ($8::timestamptz is null or e.changed_at < $8::timestamptz)
  and ($9::text is null or e.api_key_id = $9::text)`

/** A position of the log after everything that the statement sees; null where a service does not reveal it. */
const LOG_POSITION = `log_position()::text as "logPosition"`

/**
 * Whether `from` was so long ago that a reader who has reached the end gets every later event, whatever its time: the clock may be set
 * back. A minute is for transactions that were under way then.
 */
const IS_PAST_FROM = `coalesce(clock_timestamp() > $7::timestamptz + interval '1 minute', false) as "isPastFrom"`

/**
 * Returns the epoch of the database, and whether the database may lack events that were read in epoch `$1` up to
 * position `$2` of the log. It may if that was the epoch of another primary, or if a primary that was promoted later
 * never got that part of the log (ADR 0063).
 */
export const FIND_EPOCH = statement<{ epoch: number; isLost: boolean }>(
  'events.find-epoch',
  `select ${EPOCH('$1::bigint', '$2::pg_lsn')}`,
)

type Direction = 'asc' | 'desc'

/**
 * Returns the CTEs `page`, the matching events `e` `among` the events of a source, and `edge`, where the page ended if it is
 * not full: because of its bytes, or because the scan stopped. `c` is the row of the CTE `cursor`.
 */
const paged = (among: string, order: string, visible = 'true') => /* sql */ `
  page as materialized (
    select e.*
      from cursor c
     cross join lateral (${withinPage(
       /* sql */ `
       select * from (select e.* from events e where ${among} order by ${order} limit $10::int) e
        where ${visible} and ${MATCHES} order by ${order} limit $11::int`,
       'before',
       'after',
     )}) e
  ),
  cut as materialized (
    select e.tick, e.stream, e.sequence from page e where (select bool_and("hasNext") from page)
     order by ${order} offset greatest((select count(*) from page) - 1, 0) limit 1
  ),
  edge as materialized (
    select * from cut
    union all
    select e.*
      from cursor c
     cross join lateral (
       select e.tick, e.stream, e.sequence from events e
        where ${among} and (select count(*) from page) < $11::int and not exists (select from cut) order by ${order} offset $10::int - 1 limit 1
     ) e
  )`

/** Lists the events of stream `$12` between the numbers `$13` and `$14`. The numbers have no gaps and are in commit order. */
const ofStream = (direction: Direction, only = 'true') => {
  const among = `e.stream = c.stream and e.sequence > $13::bigint and e.sequence < $14::bigint and ${only}`
  const order = `e.sequence ${direction}`
  return /* sql */ `
  with cursor as materialized (
    select $12::uuid as stream,
           (select e.sequence from events e where e.stream = $12::uuid order by e.sequence desc limit 1) as greatest
  ),
  ${paged(among, order)}
  select c.greatest, ${LOG_POSITION}, ${IS_PAST_FROM}, ${EDGE}, ${EVENT} from cursor c left join edge on true left join page e on true order by ${order}`
}

/** `greatest`: the number of the last event of the stream; null without events. */
type StreamRow = ReadRow<{ greatest: number | null; logPosition: string | null; isPastFrom: boolean }>

export const LIST_OLDEST_OF_STREAM = statement<StreamRow>('events.list-oldest-of-stream', ofStream('asc'))
export const LIST_NEWEST_OF_STREAM = statement<StreamRow>('events.list-newest-of-stream', ofStream('desc'))

/** Filters by one user, or by one resource inside the organization: each has an index. */
const ONE_USER = 'e.user_id = $2::text'
const ONE_RESOURCE = 'e.resource_kind = $3::resource_kind and e.resource_id = $4::text'
export const LIST_OLDEST_OF_USER = statement<StreamRow>('events.list-oldest-of-user', ofStream('asc', ONE_USER))
export const LIST_NEWEST_OF_USER = statement<StreamRow>('events.list-newest-of-user', ofStream('desc', ONE_USER))
export const LIST_OLDEST_OF_RESOURCE = statement<StreamRow>(
  'events.list-oldest-of-resource',
  ofStream('asc', ONE_RESOURCE),
)
export const LIST_NEWEST_OF_RESOURCE = statement<StreamRow>(
  'events.list-newest-of-resource',
  ofStream('desc', ONE_RESOURCE),
)

/** `isAhead`: the page token has a snapshot that is ahead of this database. */
type FeedRow = ReadRow<{ until: string; logPosition: string | null; isPastFrom: boolean; isAhead: boolean }>

const IS_AHEAD = (snapshot: string) => `pg_snapshot_xmax(${snapshot}) > pg_snapshot_xmax(pg_current_snapshot())`

/**
 * Lists the events of API key `$12` that snapshot `$14` (null: now) sees and `$13` does not, after the cursor `$15` to `$17`
 * (null: from the first of these) and not after the tick `$18`.
 */
const oldest = (only = 'true') => /* sql */ `
  with given as materialized (
    select $13::pg_snapshot as seen, coalesce($14::pg_snapshot, ${CURRENT_SNAPSHOT}) as until
  ),
  cursor as materialized (
    select $12::text as api_key_id, seen, until, coalesce($15::bigint, ${firstTick('seen', 'until')}) as tick,
           coalesce($16::uuid, '${FIRST_STREAM}') as stream, coalesce($17::bigint, 0) as sequence
      from given
  ),
  ${paged(`${AFTER('c')} and e.tick <= $18::bigint and ${only}`, FEED_ORDER, isUnread('c'))}
  select c.until::text, ${LOG_POSITION}, ${IS_PAST_FROM}, ${IS_AHEAD('c.seen')} or ${IS_AHEAD('c.until')} as "isAhead", ${EDGE}, ${EVENT}
    from cursor c left join edge on true left join page e on true order by ${FEED_ORDER}`

export const LIST_OLDEST = statement<FeedRow>('events.list-oldest', oldest())
export const LIST_OLDEST_OF_KEY_USER = statement<FeedRow>('events.list-oldest-of-key-user', oldest(ONE_USER))

const BEFORE = `e.api_key_id = c.api_key_id and (e.tick, e.stream, e.sequence) < (c.tick, c.stream, c.sequence)`
const FEED_ORDER_BACK = 'e.tick desc, e.stream desc, e.sequence desc'

/** Lists the events of key `$12` that snapshot `$13` (null: now) sees, before the cursor `$14` to `$16`, not before the tick `$17`. */
const newest = (only = 'true') => /* sql */ `
  with cursor as materialized (
    select $12::text as api_key_id, coalesce($13::pg_snapshot, ${CURRENT_SNAPSHOT}) as until, $14::bigint as tick,
           $15::uuid as stream, $16::bigint as sequence
  ),
  ${paged(`${BEFORE} and e.tick >= $17::bigint and ${only}`, FEED_ORDER_BACK, 'pg_visible_in_snapshot(e.written_by, c.until)')}
  select c.until::text, ${LOG_POSITION}, ${IS_PAST_FROM}, ${IS_AHEAD('c.until')} as "isAhead", ${EDGE}, ${EVENT}
    from cursor c left join edge on true left join page e on true order by ${FEED_ORDER_BACK}`

export const LIST_NEWEST = statement<FeedRow>('events.list-newest', newest())
export const LIST_NEWEST_OF_KEY_USER = statement<FeedRow>('events.list-newest-of-key-user', newest(ONE_USER))
