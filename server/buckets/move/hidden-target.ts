/**
 * Hides a target from servers until it has everything. A server that slept for long, or that cannot reach the home
 * database, may still have the URL of a database that had the bucket before. It would read from an unfinished copy, and
 * write into it. While a target is hidden, its sessions find no table, as in a database that is closed.
 */
import type pg from 'pg'
import { first } from './servers.ts'

/** A schema that does not exist. Sessions of the command set another one. */
const NOWHERE = 'commonhold_moving'

const ofRole = (change: string) => /* sql */ `
  do $$ begin execute format('alter role current_user in database %I ${change}', current_database()); end $$`

/** Sessions of servers keep the settings that the database had when they began, so they are closed and connect again. */
const endSessions = (began: string) => /* sql */ `
  select pg_terminate_backend(pid) from pg_stat_activity
   where datname = current_database() and usename = current_user and pid <> pg_backend_pid()
     and application_name ~ '^commonhold( |$)' and application_name !~ ' move$' and backend_type = 'client backend'
     and backend_start <= ${began}`

export async function hide(target: pg.ClientBase): Promise<void> {
  await target.query(ofRole(`set search_path = ${NOWHERE}`))
  await endHiddenSessions(target)
}

/** Ends the sessions of servers that began before `began`; default: all. */
export async function endHiddenSessions(target: pg.ClientBase, began?: string): Promise<void> {
  await target.query(endSessions(began === undefined ? 'clock_timestamp()' : '$1::timestamptz'), began ? [began] : [])
}

/** Lets sessions that begin from now on find the tables. Returns the time. */
export async function show(target: pg.ClientBase): Promise<string | undefined> {
  await target.query(ofRole('reset search_path'))
  const shown = await first<{ at: string }>(target, 'select clock_timestamp()::text as at')
  await endHiddenSessions(target)
  return shown?.at
}

const HAS_EVERYTHING = 'commonhold: has everything'

/** Records in a target that the source is closed: from now on, the target is the bucket, even if the source is lost. */
export const markComplete = async (target: pg.ClientBase): Promise<void> => {
  await target.query(`comment on table public.schema_migrations is '${HAS_EVERYTHING}'`)
}

export const unmark = async (target: pg.ClientBase): Promise<void> => {
  await target.query('comment on table public.schema_migrations is null')
}

export const isComplete = async (target: pg.ClientBase): Promise<boolean> =>
  (await first(
    target,
    `select from pg_class where oid = to_regclass('public.schema_migrations') and obj_description(oid, 'pg_class') = $1`,
    [HAS_EVERYTHING],
  )) !== undefined
