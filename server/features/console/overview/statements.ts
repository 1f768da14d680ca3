/** The SQL statements of the console's overview. */
import { statement } from '#platform/db/statement.ts'

/** Counting stops here: the overview needs no more, and the cost stays bounded for large tenants. */
export const COUNTED_MAX = 100_000

const UP_TO = COUNTED_MAX + 1

export interface CountsRow {
  organizations: number
  folders: number
  documents: number
  users: number
  grants: number
}

const counted = (rows: string): string => `(select count(*)::int from (${rows} limit ${UP_TO}) rows)`

const within = (rows: string): string =>
  counted(`select from organizations o, lateral (${rows} offset 0) found where o.api_key_id = $1`)

export const COUNT_OVERVIEW = statement<CountsRow>(
  'overview.count',
  /* sql */ `
  select ${counted('select from organizations where api_key_id = $1')} as organizations,
         ${within("select from resources r where r.organization_key = o.organization_key and r.kind = 'folder'")} as folders,
         ${within("select from resources r where r.organization_key = o.organization_key and r.kind = 'document'")} as documents,
         ${counted('select from users where api_key_id = $1')} as users,
         ${within('select from grants g where g.organization_key = o.organization_key')} as grants`,
)

export interface DeliveriesRow {
  waiting: number
  /** The delay of the oldest due delivery; null if none is due. */
  overdueSeconds: number | null
}

/** Counts the pending deliveries to the key's endpoints, including retries. */
export const COUNT_DELIVERIES = statement<DeliveriesRow>(
  'overview.deliveries',
  /* sql */ `
  select count(*)::int as waiting,
         extract(epoch from max(coalesce($now, clock_timestamp()) - d.due_at) filter (where d.due_at < coalesce($now, clock_timestamp())))::float8 as "overdueSeconds"
    from webhook_endpoints e,
         lateral (select w.due_at from webhook_deliveries w where w.endpoint_key = e.endpoint_key limit ${UP_TO}) d
   where e.api_key_id = $1`,
)

export interface JobsRow {
  unfinished: number
  /** How long the first job that no worker holds has been due; null: none is due. */
  overdueSeconds: number | null
}

/**
 * Counts migrations, erasures of users and revocations of all their access that are not finished. A worker renews its
 * lease every few seconds.
 */
export const COUNT_JOBS = statement<JobsRow>(
  'overview.jobs',
  /* sql */ `
  select count(*)::int as unfinished,
         extract(epoch from max(clock_timestamp() - job.due_at) filter (where job.due_at < clock_timestamp()))::float8
           as "overdueSeconds"
    from (
      (select m.due_at
         from organizations o,
              lateral (select due_at from document_migrations
                        where organization_key = o.organization_key and status in ('pending', 'in_progress') offset 0) m
        where o.api_key_id = $1 limit ${UP_TO})
      union all
      (select due_at from user_data_deletions where api_key_id = $1 and finished_at is null limit ${UP_TO})
      union all
      (select due_at from user_access_revocations where api_key_id = $1 and finished_at is null limit ${UP_TO})
    ) job`,
)
