/** SQL that reads usage, and that counts the rows in the tables of an API key. */
import type { UsageGranularity } from '#contract/usage/usage.ts'
import { statement } from '#platform/db/statement.ts'
import type { Counts } from './counting-statements.ts'

export interface Contents {
  organizations: number
  documents: number
  users: number
  threads: number
}

/** The values of both statements that read. */
export type ReadValues = [apiKeys: readonly string[], granularity: UsageGranularity, from: Date | null, to: Date | null]

/**
 * SQL: the first period from `$3` on and the end of the last that begins before `$4`, by default the last 24 hours, 30 days or 13
 * months. `$2` is the granularity.
 */
const BOUNDS = /* sql */ `
  clock as materialized (select coalesce($now, clock_timestamp()) as now),
  bounds as materialized (
    select date_trunc($2::text, coalesce($3::timestamptz, now - case $2::text when 'hour' then interval '23 hours'
                                                                             when 'day' then interval '29 days'
                                                                             else interval '12 months' end), 'UTC') as first,
           date_trunc($2::text, coalesce($4::timestamptz - interval '1 microsecond', now), 'UTC')
             + ('1 ' || $2::text)::interval as over
      from clock
  )`

export interface HourRow extends Counts {
  apiKeyId: string
  at: Date
}

export const READ_HOURS = statement<HourRow>(
  'usage.read-hours',
  /* sql */ `
  with ${BOUNDS}
  select h.api_key_id as "apiKeyId", h.hour as at, h.calls, h.refused, h.failed, h.checks, h.webhooks
    from unnest($1::text[]) named (api_key_id)
   cross join bounds
   cross join lateral (
     select * from usage_hours h
      where h.api_key_id = named.api_key_id and h.hour >= bounds.first and h.hour < bounds.over order by h.hour offset 0
   ) h`,
)

export interface DayRow extends Counts, Partial<Record<keyof Contents, number | null>> {
  apiKeyId: string
  at: Date
  mails: number
  activeUsers: Buffer | null
}

export const READ_DAYS = statement<DayRow>(
  'usage.read-days',
  /* sql */ `
  with ${BOUNDS}
  select d.api_key_id as "apiKeyId", d.day::timestamp at time zone 'UTC' as at, d.calls, d.refused, d.failed, d.checks,
         d.webhooks, d.mails, d.organizations, d.documents, d.users, d.threads, d.active_users as "activeUsers"
    from unnest($1::text[]) named (api_key_id)
   cross join bounds
   cross join lateral (
     select * from usage_days d
      where d.api_key_id = named.api_key_id and d.day >= (bounds.first at time zone 'UTC')::date
        and d.day < (bounds.over at time zone 'UTC')::date order by d.day offset 0
   ) d`,
)

/** Lists at most `$4` keys of a workspace in the order of their ids, after `$3`; only those in `$2`, unless that is null. */
export const LIST_KEYS = statement<{ apiKey: string; apiKeyName: string; type: 'testing' | 'production' }>(
  'usage.list-keys',
  /* sql */ `
  select api_key_id as "apiKey", name as "apiKeyName", type from api_keys
   where workspace_id = $1 and ($2::text[] is null or api_key_id = any ($2)) and api_key_id > coalesce($3::text, '')
   order by api_key_id limit $4::int`,
)

/** SQL: the current contents of the tables of the API key `$1`. */
const CONTENTS = /* sql */ `
  select (select count(*) from organizations o where o.api_key_id = $1) as organizations,
         (select count(*) from organizations o,
                 lateral (select from resources r
                           where r.organization_key = o.organization_key and r.kind = 'document' offset 0) found
           where o.api_key_id = $1) as documents,
         (select count(*) from users u where u.api_key_id = $1) as users,
         (select count(*) from organizations o,
                 lateral (select from threads t where t.organization_key = o.organization_key offset 0) found
           where o.api_key_id = $1) as threads`

/** SQL: the expression of the index of mails by outcome and time. */
const OUTCOME = `(m.api_key_id || ' ' || m.state collate "C")`

/** SQL: how many mails of the API key `$1` were sent from `from` to `until`. Rows are compared, so that no index of times alone is used. */
const mailsSent = (from: string, until: string) => /* sql */ `
  (select count(*) from mails m
    where ${OUTCOME} = $1 || ' sent' and (${OUTCOME}, m.finished_at) >= ($1 || ' sent', ${from})
      and (${OUTCOME}, m.finished_at) < ($1 || ' sent', ${until}))`

/** Counts the contents of a key now, and its mails of the current day. */
export const COUNT_CONTENTS = statement<Contents & { day: Date; mails: number }>(
  'usage.count-contents',
  /* sql */ `
  with clock as materialized (select date_trunc('day', coalesce($now, clock_timestamp()), 'UTC') as day)
  select contents.*, clock.day, ${mailsSent('clock.day', `clock.day + interval '1 day'`)} as mails
    from (${CONTENTS}) contents cross join clock`,
)

/** The contents of keys are counted again after this time, by a job that begins every ten minutes: a count is at most an hour old. */
const COUNTED_EVERY = `interval '50 minutes'`

/**
 * Finds the next API key after `$1` whose contents were not counted for 50 minutes, or not on this day, and claims it for this
 * process. It is not claimed if another process was faster.
 */
export const CLAIM_COUNT = statement<{ apiKeyId: string; isClaimed: boolean }>(
  'usage.claim-count',
  /* sql */ `
  with clock as materialized (
    select now, (now at time zone 'UTC')::date as day from (select coalesce($now, clock_timestamp()) as now) one
  ),
  due as materialized (
    select k.api_key_id from api_keys k
     where k.api_key_id > $1
       and not exists (select from usage_days d cross join clock
                        where d.api_key_id = k.api_key_id and d.day = clock.day
                          and d.counted_at between clock.now - ${COUNTED_EVERY} and clock.now)
     order by k.api_key_id limit 1
  ),
  claimed as (
    insert into usage_days as d (api_key_id, day, counted_at)
    select due.api_key_id, clock.day, clock.now from due cross join clock
    on conflict (api_key_id, day) do update set counted_at = excluded.counted_at
     where d.counted_at is null or not d.counted_at between excluded.counted_at - ${COUNTED_EVERY} and excluded.counted_at
    returning 1
  )
  select api_key_id as "apiKeyId", exists (select from claimed) as "isClaimed" from due`,
)

/**
 * Stores the current contents of a key, and how many mails were sent today and yesterday, because a day may have ended
 * since the last count. A mail that an erasure has deleted stays counted.
 */
export const STORE_CONTENTS = statement<never>(
  'usage.store-contents',
  /* sql */ `
  with clock as materialized (select (coalesce($now, clock_timestamp()) at time zone 'UTC')::date as day),
  contents as materialized (${CONTENTS})
  update usage_days d
     set organizations = case when d.day = clock.day then c.organizations else d.organizations end,
         documents = case when d.day = clock.day then c.documents else d.documents end,
         users = case when d.day = clock.day then c.users else d.users end,
         threads = case when d.day = clock.day then c.threads else d.threads end,
         mails = greatest(d.mails, ${mailsSent(`d.day::timestamp at time zone 'UTC'`, `(d.day + 1)::timestamp at time zone 'UTC'`)})
    from clock cross join contents c
   where d.api_key_id = $1 and d.day >= clock.day - 1 and d.day <= clock.day`,
)

/** Deletes the hours of a key after two days, and its days when the month is over 13 months old. */
export const DELETE_OLD_USAGE = statement<never>(
  'usage.delete-old',
  /* sql */ `
  with clock as materialized (select coalesce($now, clock_timestamp()) as now),
  hours as (
    delete from usage_hours h using clock
     where h.api_key_id = $1 and h.hour < date_trunc('hour', clock.now - interval '48 hours', 'UTC')
  )
  delete from usage_days d using clock
   where d.api_key_id = $1 and d.day < (date_trunc('month', clock.now at time zone 'UTC') - interval '13 months')::date`,
)
