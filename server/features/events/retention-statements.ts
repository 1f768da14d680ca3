/** Every SQL text of removing old events, key by key in the order of the feed. */
import { statement } from '#platform/db/statement.ts'

const EVENTS_PER_BATCH = 1_000

/** The first API key after `$1` that has events, whether the key itself is still there or not. */
export const NEXT_KEY = statement<{ apiKeyId: string }>(
  'events.next-key',
  'select api_key_id as "apiKeyId" from events where api_key_id > $1 order by api_key_id limit 1',
)

export interface RemovedRow {
  removed: number
  /** Where the batch ends; null: there was nothing. */
  tick: string | null
  stream: string | null
  sequence: string | null
}

/**
 * Of the next events after the place `$3` to `$5` removes those that are older than `$2` days and that no follower of the
 * key `$1` has still to read. Of each stream these are the first ones, so what is left has no gaps.
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
  select (select count(*) from removed) as removed, last.tick::text, last.stream, last.sequence::text
    from (select) one
    left join (select tick, stream, sequence from batch order by tick desc, stream desc, sequence desc limit 1) last on true`

export const REMOVE_OLD = statement<RemovedRow>('events.remove-old', removeOld('e.api_key_id = $1::text'))

/** Those of no API key: that a workspace was created. `$1` is not looked at. */
export const REMOVE_OLD_OF_NONE = statement<RemovedRow>('events.remove-old-of-none', removeOld('e.api_key_id is null'))
