/** The SQL statements that delete old events, key by key in the order of the feed. */
import { statement } from '#platform/db/statement.ts'
import { isRepeated } from '#tenancy/events/clock-steps.ts'

const EVENTS_PER_BATCH = 1_000

/** Returns the first API key after `$1` that has events, even if the key itself was deleted. */
export const NEXT_KEY = statement<{ apiKeyId: string }>(
  'events.next-key',
  'select api_key_id as "apiKeyId" from events where api_key_id > $1 order by api_key_id limit 1',
)

export interface RemovedRow {
  removed: number
  /** Whether old events may come after others: the clock was set back. */
  isUnordered: boolean
  /** The end of the batch; null if it was empty. */
  tick: string | null
  stream: string | null
  sequence: string | null
}

/**
 * Examines the next batch of events after the cursor `$3` to `$5`. Deletes events that are older than `$2` days and that all
 * followers of the key `$1` have read. These are the first events of each stream, so the remaining ones have no gaps.
 */
const removeOld = (key: string) => /* sql */ `
  with clock as materialized (select coalesce($now, clock_timestamp()) - make_interval(days => $2::int) as until),
  follower as materialized (select seen from event_followers where api_key_id = $1::text),
  batch as materialized (
    select e.ctid, e.tick, e.stream, e.sequence,
           e.changed_at < (select until from clock)
             and not exists (select from follower f where not pg_visible_in_snapshot(e.written_by, f.seen)) as is_due
      from events e
     where ${key} and (e.tick, e.stream, e.sequence) > ($3::bigint, $4::uuid, $5::bigint)
     order by e.api_key_id, e.tick, e.stream, e.sequence limit ${EVENTS_PER_BATCH} for update skip locked
  ),
  removed as (delete from events e using batch b where e.ctid = b.ctid and b.is_due returning 1)
  select (select count(*) from removed) as removed, ${isRepeated('(select until from clock)')} as "isUnordered", last.tick::text, last.stream, last.sequence::text
    from (select) one
    left join (select tick, stream, sequence from batch order by tick desc, stream desc, sequence desc limit 1) last on true`

export const REMOVE_OLD = statement<RemovedRow>('events.remove-old', removeOld('e.api_key_id = $1::text'))

/** Deletes events without an API key, such as the creation of a workspace. `$1` is ignored. */
export const REMOVE_OLD_OF_NONE = statement<RemovedRow>('events.remove-old-of-none', removeOld('e.api_key_id is null'))
