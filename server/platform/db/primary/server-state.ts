/** Examines a PostgreSQL server: whether it is primary, of which cluster, and on which timeline (ADR 0063). */
import type pg from 'pg'
import { isCode } from '../pg-errors.ts'

/** The last row of `database_epochs`, as this server has it. */
interface Epoch {
  epoch: number
  /** Differs when two servers were adopted independently. */
  adoptionId: string
  systemIdentifier: string | null
  timeline: number | null
  /** Whether it was written on another server or database, of which this one has a dump. */
  isRestored: boolean
  /** A higher timeline that was seen by a Commonhold server, which makes this server a former primary. */
  supersededBy: number | null
}

export interface ServerState {
  inRecovery: boolean
  /** Null if the service does not reveal it. */
  systemIdentifier: string | null
  /** The timeline that it writes or follows. Null if the service does not reveal it. */
  timeline: number | null
  startedAt: string
  /** How much of the log it has, in bytes. */
  logBytes: number | null
  epoch: Epoch | null
}

/**
 * The timeline that a primary writes is in the name of its log file: the control file still has the previous one until the
 * first checkpoint. A standby knows the timeline up to which it has replayed.
 */
const EXAMINE = /* sql */ `
  select pg_is_in_recovery() as "inRecovery",
         (select system_identifier::text from pg_control_system()) as "systemIdentifier",
         case when pg_is_in_recovery()
              then (select greatest(timeline_id, min_recovery_end_timeline) from pg_control_checkpoint(), pg_control_recovery())
              else ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int end as timeline,
         pg_postmaster_start_time()::text as "startedAt",
         pg_wal_lsn_diff(case when pg_is_in_recovery() then coalesce(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn())
                              else pg_current_wal_lsn() end, '0/0')::float8 as "logBytes"`

/** The statement for services without the functions of the control file and the log. */
const EXAMINE_LITTLE = /* sql */ `
  select pg_is_in_recovery() as "inRecovery", null as "systemIdentifier", null as timeline,
         pg_postmaster_start_time()::text as "startedAt", null as "logBytes"`

const LAST_EPOCH = /* sql */ `
  select epoch, adoption_id::text as "adoptionId", system_identifier as "systemIdentifier", timeline,
         table_oid <> 'database_epochs'::regclass as "isRestored", superseded_by as "supersededBy"
    from database_epochs order by epoch desc limit 1`

const INSUFFICIENT_PRIVILEGE = '42501'
const UNDEFINED_FUNCTION = '42883'
const UNDEFINED_TABLE = '42P01'
const NOT_SUPPORTED = '0A000'
const NOT_IN_PREREQUISITE_STATE = '55000'

/** A server that does not describe itself in this time counts as one that does not respond. */
export const RESPOND_MS = 2_000

/**
 * Returns whether an error means that a service does not reveal its log. Amazon Aurora says that "wal_level" has to be
 * "logical"; other errors with that code come from a server that was promoted or demoted in the meantime.
 */
export const lacksLog = (error: unknown): boolean =>
  isCode(error, INSUFFICIENT_PRIVILEGE, UNDEFINED_FUNCTION, NOT_SUPPORTED) ||
  (isCode(error, NOT_IN_PREREQUISITE_STATE) && /wal_level/.test((error as Error).message))

/** Two names of the list can lead to one server. */
export const isSameServer = (one: ServerState, other: ServerState): boolean =>
  one.startedAt === other.startedAt &&
  one.systemIdentifier === other.systemIdentifier &&
  one.timeline === other.timeline &&
  one.inRecovery === other.inRecovery

export async function examine(client: pg.ClientBase): Promise<ServerState> {
  // One after the other: a server that was promoted in between may have another epoch, never an earlier one.
  const state = await first<Omit<ServerState, 'epoch'>>(client, EXAMINE).catch((error: unknown) => {
    if (lacksLog(error)) return first(client, EXAMINE_LITTLE)
    throw error
  })
  const epoch = await first<Epoch>(client, LAST_EPOCH).catch((error: unknown) => {
    if (isCode(error, UNDEFINED_TABLE)) return undefined // before the migration
    throw error
  })
  if (state === undefined) throw new Error('PostgreSQL did not describe itself')
  return { ...(state as Omit<ServerState, 'epoch'>), epoch: epoch ?? null }
}

async function first<Row>(client: pg.ClientBase, text: string): Promise<Row | undefined> {
  const query = { text, query_timeout: RESPOND_MS }
  const { rows } = await client.query(query)
  return rows[0] as Row | undefined
}
