/**
 * Repairs the feed after a restore. The feed is ordered by the transaction numbers of the database cluster. In another
 * cluster, to which a dump was restored, they start again: earlier events would count as not yet written, and new events as
 * already read. The start of the server detects that, and makes the existing events older than any that this cluster will
 * write (ADR 0018).
 */
import type { Session } from '#platform/db/db.ts'
import { statement } from '#platform/db/statement.ts'
import { FIRST_STREAM } from './feed-statements.ts'

/** Returns whether an event, or the snapshot of a follower, has a transaction number that this cluster has not reached yet. */
export const IS_RESTORED = statement<{ isRestored: boolean }>(
  'event-feed.is-restored',
  /* sql */ `
  with clock as materialized (select pg_snapshot_xmax(pg_current_snapshot()) as next)
  select exists (
           select from api_keys k
            cross join lateral (select e.tick from events e where e.api_key_id = k.api_key_id
                                 order by e.api_key_id desc, e.tick desc limit 1) last
            where last.tick >= (select next::text::bigint from clock))
      or exists (
           select from event_followers f where pg_snapshot_xmax(coalesce(f.until, f.seen)) > (select next from clock)
         ) as "isRestored"`,
)

/**
 * Keeps everybody else from claiming a follower or writing an event until the commit: all steps must see the same
 * followers, because each step numbers their consumers.
 */
const LOCK_FEED = 'lock table event_followers in exclusive mode; lock table events in share row exclusive mode'

/** The rows to be rewritten; `greatestTick` is null without events. */
export const MEASURE_EVENTS = statement<{ count: number; greatestTick: number | null }>(
  'event-feed.measure',
  'select count(*) as count, max(tick) as "greatestTick" from events',
)

/** An event, by its place in the primary key. */
interface Place {
  stream: string
  sequence: number
}

const BEFORE_ALL: Place = { stream: FIRST_STREAM, sequence: 0 }
const AFTER_ALL: Place = { stream: 'ffffffff-ffff-ffff-ffff-ffffffffffff', sequence: Number.MAX_SAFE_INTEGER }

/** Returns the last of the next `$3` events after stream `$1` and sequence `$2`, or nothing if there are fewer. */
export const FIND_STEP = statement<Place>(
  'event-feed.find-step',
  /* sql */ `
  select stream, sequence from events where (stream, sequence) > ($1::uuid, $2::bigint)
   order by stream, sequence offset $3::int - 1 limit 1`,
)

const CONSUMERS = /* sql */ `
  select consumer, 1 << (row_number() over (order by consumer) - 1)::int as bit from (select distinct consumer from event_followers) known`

/**
 * Gives every event after (`$1`, `$2`) up to (`$3`, `$4`) a transaction number below any of this cluster; `$5` is the
 * greatest tick before. Each consumer is a bit, and each event has the bits of the consumers that have not read it.
 * Every snapshot sees transaction 2, so an event that all consumers have read gets 2, and an unread event gets 2 plus
 * its bits. The unread events are the last of each stream, so numbers and ticks keep rising with the sequence.
 *
 * For example, the bit of `mail` is 1 and that of `webhooks` is 2. Both have read the first event of a stream, `mail` alone the
 * second, nobody the third: they get transactions 2, 4 and 5. `REBASE_FOLLOWERS` gives `mail` the snapshot `3:6:3,5`,
 * which sees all below 6 except 3 and 5, so the third event is unread; `webhooks` gets `3:6:4,5`, and two are.
 */
export const REBASE_EVENTS = statement<never>(
  'event-feed.rebase',
  /* sql */ `
  with consumer as materialized (${CONSUMERS})
  update events e
     set written_by = (2 + unread.bits)::text::xid8,
         tick = case when unread.bits = 0 then e.tick - $5::bigint else 2 + unread.bits end
    from (select e.stream, e.sequence, coalesce(bit_or(c.bit), 0) as bits
            from events e
            left join event_followers f
              on f.api_key_id = e.api_key_id and not pg_visible_in_snapshot(e.written_by, f.seen)
             and not coalesce(pg_visible_in_snapshot(e.written_by, f.until)
                              and (e.tick, e.stream, e.sequence) <= (f.tick, f.stream, f.sequence), false)
            left join consumer c on c.consumer = f.consumer
           where (e.stream, e.sequence) > ($1::uuid, $2::bigint) and (e.stream, e.sequence) <= ($3::uuid, $4::bigint)
           group by e.stream, e.sequence) unread
   where unread.stream = e.stream and unread.sequence = e.sequence
     and (e.stream, e.sequence) > ($1::uuid, $2::bigint) and (e.stream, e.sequence) <= ($3::uuid, $4::bigint)`,
)

/** Resets the tick counters of organizations. */
export const REBASE_ORGANIZATIONS = statement<never>(
  'event-feed.rebase-organizations',
  'update organizations set event_tick = 0 where event_tick <> 0',
)

/** Resets the tick counters of other streams, and records for each follower which of the rebased events it has read. */
export const REBASE_FOLLOWERS = statement<never>(
  'event-feed.rebase-followers',
  /* sql */ `
  with consumer as materialized (${CONSUMERS}),
  streams as (update event_streams set event_tick = 0 where event_tick <> 0),
  most as materialized (select coalesce(bit_or(bit), 0) as bits from consumer)
  update event_followers f
     set until = null, tick = null, stream = null, sequence = null,
         seen = (select '3:' || 3 + (select bits from most) || ':' || string_agg((2 + bits)::text, ',' order by bits)
                   from generate_series(1, (select bits from most)) as bits where bits & c.bit > 0)::pg_snapshot
    from consumer c where c.consumer = f.consumer`,
)

/** Erasures wait for the transactions that were under way when they began: of another cluster, none is any more. */
export const REBASE_ERASURES = statement<never>(
  'event-feed.rebase-erasures',
  /* sql */ `
  update user_data_deletions set waits_for = pg_snapshot_xmax(pg_current_snapshot())
   where finished_at is null and waits_for > pg_snapshot_xmax(pg_current_snapshot())`,
)

const EVENTS_PER_STEP = 20_000

/**
 * Rebases the events and followers if the database was restored to another cluster: in steps of `perStep` events, in the
 * transaction of `session`, so that all of it is done or nothing. `report` is called before the first step and after each.
 */
export async function rebaseAfterRestore(
  session: Session,
  report: (done: number, count: number) => void = () => {},
  perStep: number = EVENTS_PER_STEP,
): Promise<void> {
  await session.run(REBASE_ERASURES)
  const [found] = await session.run(IS_RESTORED)
  if (!found?.isRestored) return
  await session.query(LOCK_FEED)
  const [{ count, greatestTick } = { count: 0, greatestTick: null }] = await session.run(MEASURE_EVENTS)
  report(0, count)
  let place: Place | undefined = BEFORE_ALL
  for (let done = perStep; place !== undefined; done += perStep) {
    const [last]: Place[] = await session.run(FIND_STEP, [place.stream, place.sequence, perStep])
    const to = last ?? AFTER_ALL
    await session.run(REBASE_EVENTS, [place.stream, place.sequence, to.stream, to.sequence, greatestTick])
    report(Math.min(done, count), count)
    place = last
  }
  await session.run(REBASE_ORGANIZATIONS)
  await session.run(REBASE_FOLLOWERS)
}
