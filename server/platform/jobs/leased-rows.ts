/**
 * The SQL of durable work (ADR 0029). The job is a row of the feature's own table. Until it is finished it waits for `due_at`;
 * a worker that claims it moves `due_at` on by a lease and renews that for as long as it lives, so a row whose worker died becomes due
 * again soon. `claims` counts the claims, and distinguishes the current worker from one whose lease has expired. `claimed_at` is null
 * while nobody works on it.
 */
import { type Statement, statement } from '../db/statement.ts'
import type { DueQueue } from './due-work.ts'

type JobState = 'ready' | 'deferred' | 'active'

export type Claimed<Key extends object> = Key & { claims: number; tenant?: string }

export interface LeasedRows<Key extends object> extends DueQueue {
  /** The queue in metrics, traces and the log. */
  readonly name: string
  /** Claims up to `$1` due rows: of each tenant after `$2` one in turn, then the earliest. Skips locked rows. */
  readonly claim: Statement<Claimed<Key>>
  /** Makes a row due after some seconds, unless another worker has claimed it meanwhile. On a finished row it has no effect. */
  readonly release: Statement<never>
  /** Renews the lease of a row that no other worker has claimed. Skips a locked row, whose transaction renews it. */
  readonly renew: Statement<never>
  /** Counts unfinished rows by state, 10,000 at most. */
  readonly count: Statement<Record<JobState, number>>
  /** The values of `claim`. */
  claimValues(rowsMax: number, lastTenant: string): unknown[]
  /** The values of `renew`. */
  renewValues(claimed: Claimed<Key>): unknown[]
  /** The values of `release`. */
  releaseValues(claimed: Claimed<Key>, seconds: number): unknown[]
  /** Whether a claim is the next one of the same row: the lease of the earlier one expired meanwhile. */
  follows(claimed: Claimed<Key>, earlier: Claimed<Key>): boolean
  /** The pause after a failure. Doubles with each claim. */
  retrySeconds(claims: number): number
}

export interface LeasedRowsOptions<Key extends object> {
  name: string
  table: string
  /** The columns of the primary key. */
  key: Readonly<Record<keyof Key & string, string>>
  /** Which rows of the table belong to this queue; default: all. */
  where?: string
  /** SQL of the row `t`: how long the lease is. Default: `LEASE`. */
  lease?: string
  /** The column of the tenants who take turns. An index has it before `due_at`. Default: the earliest row of any tenant is the next. */
  tenant?: string
  retrySeconds: { first: number; longest: number }
}

const COUNTED_MAX = 10_000

/**
 * The lease: how long the row of a dead worker waits for another worker. A worker that sleeps longer and wakes does no
 * harm in the database: each of its transactions locks the row and finds the changes of the other worker. A message
 * that it sends elsewhere may arrive twice, under one id, if another process has claimed the row in the meantime.
 */
export const LEASE = `interval '2 seconds'`

/**
 * The CTEs `turn` and `filled`: the first due row of each tenant, starting with the tenant after `$2` and continuing
 * from the first one, and then the earliest other rows. Tenants are found one by one in the index, only until there are
 * enough rows, and not at all while nothing is due.
 */
function inTurns(table: string, where: string, tenant: string): string {
  const isWaiting = `${where} and finished_at is null`
  const isDue = `${isWaiting} and due_at <= (select now from clock)`
  const next = (after: string) =>
    `select t.${tenant} as id from ${table} t where ${isWaiting} and t.${tenant} > ${after} order by t.${tenant} limit 1`
  return /* sql */ `
  later (id) as (
    (${next('$2::text')}) union all select (${next('later.id')}) from later where later.id is not null
  ),
  around (id) as (
    (${next("''")}) union all select (${next('around.id')}) from around where around.id < $2::text
  ),
  turn as materialized (
    select first.row
      from (select id from later where id is not null union all select id from around where id <= $2::text) tenants
     cross join lateral (
        select t.ctid as row from ${table} t where ${isDue} and t.${tenant} = tenants.id
         order by t.due_at limit 1 for update skip locked
      ) first
     where exists (select from ${table} where ${isDue})
     limit $1::int
  ),
  filled as materialized (
    select t.ctid as row from ${table} t where ${isDue} and t.ctid <> all (array(select row from turn))
     order by t.due_at limit $1::int - (select count(*) from turn) for update skip locked
  ),
  due as (select row from turn union all select row from filled)`
}

const byTime = (table: string, where: string): string => /* sql */ `
  due as (
    select ctid as row from ${table}
     where ${where} and finished_at is null and due_at <= (select now from clock)
     order by due_at limit $1::int for update skip locked
  )`

export function leasedRows<Key extends object>(options: LeasedRowsOptions<Key>): LeasedRows<Key> {
  const { name, table, where = 'true', lease = LEASE, tenant, retrySeconds } = options
  const key = Object.entries<string>(options.key)
  const isClaimed = `${key.map(([, column], index) => `${column} = $${index + 1}`).join(' and ')}
     and claims = $${key.length + 1}::int`
  const valuesOf = (claimed: Claimed<Key>) => [...key.map(([as]) => claimed[as as keyof Key & string]), claimed.claims]
  return {
    name,
    isDue: `exists (select from ${table} where ${where} and finished_at is null and due_at <= (select now from clock))`,
    claim: statement(
      `${name}.claim`,
      /* sql */ `
  with ${tenant === undefined ? '' : 'recursive '}clock as materialized (select clock_timestamp() as now),${
    tenant === undefined ? byTime(table, where) : inTurns(table, where, tenant)
  }
  update ${table} t set due_at = clock.now + ${lease}, claimed_at = clock.now, claims = t.claims + 1
    from due cross join clock where t.ctid = due.row
  returning ${key.map(([as, column]) => `t.${column} as "${as}"`).join(', ')}, t.claims${tenant === undefined ? '' : `, t.${tenant} as tenant`}`,
    ),
    release: statement(
      `${name}.release`,
      /* sql */ `
  update ${table} set due_at = clock_timestamp() + make_interval(secs => $${key.length + 2}::float8), claimed_at = null
   where ${isClaimed}`,
    ),
    renew: statement(
      `${name}.renew-claim`,
      /* sql */ `
  update ${table} t set due_at = clock_timestamp() + ${lease}
    from (select ctid from ${table} where ${isClaimed} for update skip locked) mine
   where t.ctid = mine.ctid and t.claimed_at is not null and t.finished_at is null`,
    ),
    count: statement(
      `${name}.count`,
      /* sql */ `
  with clock as materialized (select clock_timestamp() as now)
  select count(*) filter (where due_at <= now)::int as ready,
         count(*) filter (where due_at > now and claimed_at is null)::int as deferred,
         count(*) filter (where due_at > now and claimed_at is not null)::int as active
    from (select due_at, claimed_at from ${table}
           where ${where} and finished_at is null order by due_at limit ${COUNTED_MAX}) unfinished
   cross join clock`,
    ),
    claimValues: (rowsMax, lastTenant) => (tenant === undefined ? [rowsMax] : [rowsMax, lastTenant]),
    renewValues: valuesOf,
    releaseValues: (claimed, seconds) => [...valuesOf(claimed), seconds],
    follows: (claimed, earlier) =>
      claimed.claims === earlier.claims + 1 &&
      valuesOf({ ...claimed, claims: earlier.claims }).join() === valuesOf(earlier).join(),
    retrySeconds: (claims) => Math.min(retrySeconds.first * 2 ** (claims - 1), retrySeconds.longest),
  }
}
