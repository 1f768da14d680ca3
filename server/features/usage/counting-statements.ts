/** SQL that adds what was counted in memory to the hours and days of API keys. */
import { setStatement } from '#platform/db/statement.ts'

export interface Counts {
  calls: number
  refused: number
  failed: number
  checks: number
  webhooks: number
}

export const NOTHING: Counts = { calls: 0, refused: 0, failed: 0, checks: 0, webhooks: 0 }

/**
 * Adds counts to the current hour and day of each API key, so that those of several processes add up. The time is that
 * of the database: a process whose clock jumps counts in the same hour as the others. Rows must be in the order of the
 * keys, so that two processes never wait for each other. Keys that were deleted in the meantime are left out; returns
 * the day for the others.
 */
export const ADD_USAGE = setStatement<Counts & { apiKeyId: string }, { apiKeyId: string; day: string }>(
  'usage.add',
  { apiKeyId: 'text', calls: 'bigint', refused: 'bigint', failed: 'bigint', checks: 'bigint', webhooks: 'bigint' },
  /* sql */ `
  with clock as materialized (select coalesce($now, clock_timestamp()) as now),
  counted as materialized (
    select item.*, date_trunc('hour', now, 'UTC') as hour, (now at time zone 'UTC')::date as day
      from $input
     cross join clock
     cross join lateral (select from api_keys k where k.api_key_id = item.api_key_id limit 1) known
  ),
  hours as (
    insert into usage_hours as u (api_key_id, hour, calls, refused, failed, checks, webhooks)
    select api_key_id, hour, calls, refused, failed, checks, webhooks from counted order by ord
    on conflict (api_key_id, hour) do update
       set calls = u.calls + excluded.calls, refused = u.refused + excluded.refused, failed = u.failed + excluded.failed,
           checks = u.checks + excluded.checks, webhooks = u.webhooks + excluded.webhooks
  ),
  days as (
    insert into usage_days as u (api_key_id, day, calls, refused, failed, checks, webhooks)
    select api_key_id, day, calls, refused, failed, checks, webhooks from counted order by ord
    on conflict (api_key_id, day) do update
       set calls = u.calls + excluded.calls, refused = u.refused + excluded.refused, failed = u.failed + excluded.failed,
           checks = u.checks + excluded.checks, webhooks = u.webhooks + excluded.webhooks
    returning u.api_key_id, u.day
  )
  select api_key_id as "apiKeyId", day::text from days`,
)

/** Returns the active users of days that this transaction has locked by adding to them. */
export const READ_ACTIVE_USERS = setStatement<
  { apiKeyId: string; day: string },
  { apiKeyId: string; activeUsers: Buffer | null }
>(
  'usage.read-active-users',
  { apiKeyId: 'text', day: 'text' },
  /* sql */ `
  select d.api_key_id as "apiKeyId", d.active_users as "activeUsers"
    from $input
   cross join lateral (
     select * from usage_days d where d.api_key_id = item.api_key_id and d.day = item.day::date limit 1
   ) d`,
)

/** Replaces the active users of days that this transaction has locked. */
export const SET_ACTIVE_USERS = setStatement<{ apiKeyId: string; day: string; activeUsers: Buffer }, never>(
  'usage.set-active-users',
  { apiKeyId: 'text', day: 'text', activeUsers: 'bytea' },
  /* sql */ `
  update usage_days d set active_users = item.active_users
    from $input where d.api_key_id = item.api_key_id and d.day = item.day::date`,
)
