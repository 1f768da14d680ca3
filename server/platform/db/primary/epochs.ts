/** The record of the primaries that Commonhold has worked with, in the database itself: one row for each timeline (ADR 0063). */
import type pg from 'pg'
import { isCode, isReadTimeout, isUnconfirmed, QUERY_CANCELED, writesRefused } from '../pg-errors.ts'
import { examine, isSameServer, lacksLog, type ServerState } from './server-state.ts'

/**
 * Records the primary (`$1`, `$2`), and the position up to which its log equals that of the previous primary. Only a
 * standby that was promoted since it started knows that position; otherwise it is null, and anything may be missing.
 * Two processes that do this at the same time write one row.
 *
 * New events get numbers above the time in microseconds, which no stream reaches by counting, unless nothing can be
 * lost yet because no epoch is recorded here and this process has adopted none (`$3`). The million is for a clock that
 * is behind the previous one.
 */
const adoptAt = (forkedAt: string): string => /* sql */ `
  with given as (select $1::text as system_identifier, $2::int as timeline, 'database_epochs'::regclass::oid as table_oid)
  insert into database_epochs (epoch, system_identifier, timeline, table_oid, forked_at, numbered_after)
  select coalesce(last.epoch, 0) + 1, given.system_identifier, given.timeline, given.table_oid,
         ${forkedAt},
         case when last.epoch is not null or $3::boolean
              then greatest((extract(epoch from clock_timestamp()) * 1000000)::bigint, last.numbered_after + 1000000)
              else 0 end
    from given
    left join (select * from database_epochs order by epoch desc limit 1) last on true
   where (last.system_identifier, last.timeline, last.table_oid)
         is distinct from (given.system_identifier, given.timeline, given.table_oid)
  on conflict do nothing`

const ADOPT = adoptAt(/* sql */ `
         case when pg_last_xact_replay_timestamp() is not null and last.system_identifier = given.system_identifier
              then pg_last_wal_replay_lsn() end`)

/** The statement for services without the functions of the log. */
const ADOPT_WITHOUT_LOG = adoptAt('null::pg_lsn')

/** Overrides settings of the role or the database: commits wait for standbys like commits of calls, and a warning arrives. */
const LIKE_CALLS = /* sql */ `
  select set_config('client_min_messages', 'notice', false);
  select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'`

/**
 * Changes nothing, but its commit has to be confirmed like any other. A visible row would prove nothing: PostgreSQL
 * keeps commits that its standbys have not confirmed, for instance when it is restarted while it waits for them.
 */
const CONFIRM = /* sql */ `
  update database_epochs set epoch = epoch where epoch = (select max(epoch) from database_epochs)`

/** Marks a former primary. The commit waits for no standby: those that it had may follow the new primary. */
const SUPERSEDE = /* sql */ `
  with settings as materialized (select set_config('synchronous_commit', 'local', true))
  update database_epochs e set superseded_by = $1::int
    from settings
   where e.epoch = (select max(epoch) from database_epochs) and coalesce(e.superseded_by, 0) < $1::int`

/** Ends the connections of all Commonhold servers: each new one is examined, and finds the mark. */
const DISCONNECT = /* sql */ `
  select pg_terminate_backend(pid) from pg_stat_activity
   where datname = current_database() and usename = current_user and pid <> pg_backend_pid()
     and (application_name = 'commonhold' or application_name like 'commonhold %')`

/** Returns whether the row of a primary was written on it, and not restored from a dump. */
export const isRecorded = ({ epoch, systemIdentifier, timeline }: ServerState): boolean =>
  epoch !== null && !epoch.isRestored && epoch.systemIdentifier === systemIdentifier && epoch.timeline === timeline

/**
 * Records a primary; `isFirst`: the first one that this process works with. Then commits a change there, which standbys must
 * confirm if the primary requires that; throws if they do not. Returns whether it accepts changes at all.
 */
export async function recordPrimary(client: pg.ClientBase, state: ServerState, isFirst: boolean): Promise<boolean> {
  const found = await examine(client)
  if (!isSameServer(found, state)) throw new Error('another server responds at its address')
  let isConfirmed = true
  const onNotice = (notice: { routine?: string | undefined }) => {
    if (isUnconfirmed(notice)) isConfirmed = false
  }
  client.on('notice', onNotice)
  try {
    await client.query(LIKE_CALLS)
    if (!isRecorded(found)) await adopt(client, found, isFirst)
    await client.query(CONFIRM)
  } catch (error) {
    if (writesRefused(error) !== undefined) return false
    throw isTimeout(error) ? notConfirming() : error
  } finally {
    client.off('notice', onNotice)
  }
  state.epoch = (await examine(client)).epoch
  if (!isConfirmed || !isRecorded(state)) throw notConfirming()
  return true
}

const notConfirming = () =>
  new Error('its standbys do not confirm changes; start one, or change synchronous_standby_names')

const isTimeout = (error: unknown): boolean => isCode(error, QUERY_CANCELED) || isReadTimeout(error)

async function adopt(client: pg.ClientBase, { systemIdentifier, timeline }: ServerState, isFirst: boolean) {
  const values = [systemIdentifier, timeline, !isFirst]
  await client.query(ADOPT, values).catch((error: unknown) => {
    if (lacksLog(error)) return client.query(ADOPT_WITHOUT_LOG, values)
    throw error
  })
}

/** Makes every Commonhold server leave a former primary, those too that cannot reach the new one. */
export async function supersede(client: pg.ClientBase, former: ServerState, timeline: number): Promise<void> {
  if (!isSameServer(await examine(client), former)) return // its name leads to another by now
  const { rowCount } = await client.query(SUPERSEDE, [timeline])
  if (rowCount !== 0) await client.query(DISCONNECT)
}
