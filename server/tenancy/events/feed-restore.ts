/**
 * The feed goes by the transaction numbers of the database cluster. In another one, to which a dump was restored, they
 * begin anew: what was written before would count as not yet written, and what is written now as long read. The start
 * notices that, and makes what is there older than anything this cluster will write (ADR 0018).
 */
import type { Session } from '#platform/db/db.ts'
import { statement } from '#platform/db/statement.ts'

/** Whether an API key has an event, or a follower has seen a transaction, that is still to come in this cluster. */
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
 * Every consumer stands for a bit, and every event for the consumers that have not read it. 2 is a transaction that every
 * snapshot sees; events that somebody has still to read are of 2 plus the bits of those, before the first of any cluster.
 * In each stream it is the last events that were not read, so numbers and ticks go on rising with the sequence.
 */
export const REBASE_EVENTS = statement<never>(
  'event-feed.rebase',
  /* sql */ `
  with consumer as materialized (
    select consumer, 1 << (row_number() over (order by consumer) - 1)::int as bit from (select distinct consumer from event_followers) known
  ),
  greatest as materialized (select max(tick) as tick from events),
  rebased as (
    update events e
       set written_by = (2 + unread.bits)::text::xid8,
           tick = case when unread.bits = 0 then e.tick - (select tick from greatest) else 2 + unread.bits end
      from (select e.stream, e.sequence, coalesce(bit_or(c.bit), 0) as bits
              from events e
              left join event_followers f
                on f.api_key_id = e.api_key_id and not pg_visible_in_snapshot(e.written_by, f.seen)
               and not coalesce(pg_visible_in_snapshot(e.written_by, f.until)
                                and (e.tick, e.stream, e.sequence) <= (f.tick, f.stream, f.sequence), false)
              left join consumer c on c.consumer = f.consumer
             group by e.stream, e.sequence) unread
     where unread.stream = e.stream and unread.sequence = e.sequence
  ),
  counters as (update organizations set event_tick = 0 where event_tick <> 0),
  streams as (update event_streams set event_tick = 0 where event_tick <> 0),
  most as materialized (select coalesce(bit_or(bit), 0) as bits from consumer)
  update event_followers f
     set until = null, tick = null, stream = null, sequence = null,
         seen = (select '3:' || 3 + (select bits from most) || ':' || string_agg((2 + bits)::text, ',' order by bits)
                   from generate_series(1, (select bits from most)) as bits where bits & c.bit > 0)::pg_snapshot
    from consumer c where c.consumer = f.consumer`,
)

export async function rebaseAfterRestore(session: Session): Promise<void> {
  const [found] = await session.run(IS_RESTORED)
  if (found?.isRestored) await session.run(REBASE_EVENTS)
}
