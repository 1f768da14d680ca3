/** The SQL statements that find the positions of events in a range of times. */
import { statement } from '#platform/db/statement.ts'
import { isRepeated } from '#tenancy/events/clock-steps.ts'

/** The longest duration of a transaction that writes events: it has few statements, each with a timeout. */
const LONGEST = `interval '6 hours'`

/**
 * Finds positions (ticks of an API key or numbers of a stream) between which all events from `$2` to before `$3` are; null
 * if unknown. An event that changed earlier than `$2` by more than the longest transaction has a lower position than all
 * events from `$2` on, and likewise after `$3`. So any such event is a correct bound, and binary search finds a tight one.
 * Times that the clock has had twice are in no order, so there is no bound for them.
 */
const bounds = (key: string, position: string) => {
  const search = (name: string, holds: string, nextRange: string) => /* sql */ `
  ${name} (low, high, found) as (
    select least, greatest + 1, null::bigint from ends
    union all
    select ${nextRange}, case when e.holds then e.position end
      from ${name} s
     cross join lateral (
       select e.${position} as position, ${holds} as holds from events e
        where e.${key} and e.${position} >= s.low + (s.high - s.low) / 2 order by e.${position} limit 1
     ) e
     where s.low < s.high
  )`
  return /* sql */ `
  with recursive ends as materialized (
    select least.position as least, greatest.position as greatest
      from (select e.${position} as position from events e where e.${key} order by e.${position} limit 1) least,
           (select e.${position} as position from events e where e.${key} order by e.${position} desc limit 1) greatest
  ),
  ${search(
    'earlier',
    `e.changed_at < $2::timestamptz - ${LONGEST}`,
    'case when e.holds then e.position + 1 else s.low end, case when e.holds then s.high else s.low + (s.high - s.low) / 2 end',
  )},
  ${search(
    'later',
    `e.changed_at > $3::timestamptz + ${LONGEST}`,
    'case when e.holds then s.low else e.position + 1 end, case when e.holds then s.low + (s.high - s.low) / 2 else s.high end',
  )}
  select case when not ${isRepeated('$2::timestamptz')} then (select max(found) from earlier) end as least,
         case when not ${isRepeated('$3::timestamptz')} then (select min(found) from later) end as greatest`
}

export interface BoundsRow {
  least: number | null
  greatest: number | null
}

export const FIND_TICKS = statement<BoundsRow>('events.find-ticks', bounds('api_key_id = $1', 'tick'))
export const FIND_NUMBERS = statement<BoundsRow>('events.find-numbers', bounds('stream = $1', 'sequence'))
