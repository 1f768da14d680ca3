/** Maps database errors to statuses. An unknown error is INTERNAL; a system failure is never reported as a denial. */
import { StatusError } from '../status-error.ts'

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined

export const SERIALIZATION_FAILURE = '40001'
export const DEADLOCK = '40P01'
export const LOCK_NOT_AVAILABLE = '55P03'
export const QUERY_CANCELED = '57014'
/** A row that a change refers to was deleted between its statements. */
export const FOREIGN_KEY_VIOLATION = '23503'
/** One of our triggers refuses a row for as long as something else is under way: its detail is the reason, its message the sentence. */
const REFUSED_FOR_NOW = 'CH001'
/** The same, for every change of an API key. */
const UNAVAILABLE_FOR_NOW = 'CH002'
const TOO_MANY_CONNECTIONS = '53300'
const DISK_FULL = '53100'
const READ_ONLY = '25006'
/** The server closed a connection that was idle in a transaction. */
const IDLE_IN_TRANSACTION = '25P03'

/** The error of a server that has become a standby in the meantime. */
const NOT_IN_PREREQUISITE_STATE = '55000'

/** Returns the SQLSTATE of an error, or `connection` or `other`. */
export const sqlState = (error: unknown): string => {
  const code = codeOf(error) ?? ''
  return /^[0-9A-Z]{5}$/.test(code) && !NETWORK_CODES.has(code)
    ? code
    : isConnectionLost(error)
      ? 'connection'
      : 'other'
}

export const isCode = (error: unknown, ...codes: string[]): boolean => codes.includes(codeOf(error) ?? '')

/** A table, type, function or schema does not exist. */
const NAMES_NOTHING = ['42P01', '42704', '42883', '3F000'] as const

/**
 * Returns whether a statement names something that does not exist. If it was dropped after the statement was planned,
 * such as a type whose number a session still had, PostgreSQL reports an internal error.
 */
export const namesNothing = (error: unknown): boolean =>
  isCode(error, ...NAMES_NOTHING) ||
  (isCode(error, 'XX000') &&
    /^(cache lookup failed for|could not open relation with OID)/.test(String((error as Error).message)))

/** The code of our errors for a server that is not the primary, and for a change that no standby confirmed. */
export const NO_PRIMARY = 'NO_PRIMARY'
const UNCONFIRMED = 'UNCONFIRMED'

/**
 * Returns whether a notice says that the commit before it is not confirmed by the standbys that the primary must wait for:
 * we canceled the wait. PostgreSQL reports such a commit as done, and a failover can lose it.
 */
export const isUnconfirmed = ({ routine }: { routine?: string | undefined }): boolean => routine === 'SyncRepWaitForLSN'

/** Returns the error of a change that is committed on the primary alone. It counts as one whose outcome is not known. */
export const unconfirmed = (): Error =>
  Object.assign(new Error('the change is not confirmed by a standby'), { code: UNCONFIRMED })

const NETWORK_CODES = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'ENOENT'],
  ...['EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN', 'ENETDOWN', 'ECONNABORTED'],
])

/** Returns the error that a transaction throws when it detects that it must be retried. */
export const lostRace = (why: string): Error => Object.assign(new Error(why), { code: SERIALIZATION_FAILURE })

/** Returns the name of the violated constraint. */
export const constraintOf = (error: unknown): string =>
  error instanceof Error && 'constraint' in error ? String(error.constraint) : ''

/** Returns whether the connection broke or could not be opened: the statement may or may not have taken effect. */
export function isConnectionLost(error: unknown): boolean {
  const code = codeOf(error)
  if (code === undefined)
    return (
      error instanceof Error &&
      /connection terminated|is not queryable|timeout exceeded when trying to connect|query read timeout/i.test(
        error.message,
      )
    )
  return (
    NETWORK_CODES.has(code) ||
    /^(08|57P0|58)/.test(code) || // 58: its disk or its operating system fails
    [TOO_MANY_CONNECTIONS, IDLE_IN_TRANSACTION, NOT_IN_PREREQUISITE_STATE, NO_PRIMARY, UNCONFIRMED].includes(code)
  )
}

/** Returns whether the driver gave up waiting for the response. */
export const isReadTimeout = (error: unknown): boolean =>
  error instanceof Error && /query read timeout/i.test(error.message)

/** PostgreSQL has a code for a full disk, but not for an exceeded quota, and none for what a new connection cannot write there. */
export const isStorageFull = (error: unknown): boolean =>
  isCode(error, DISK_FULL, 'ENOSPC', 'EDQUOT') ||
  (error instanceof Error &&
    /no space left on device|disk quota exceeded|could not write init file/i.test(error.message))

export const storageFull = (message: string, cause?: unknown): Error =>
  Object.assign(new Error(message, { cause }), { code: DISK_FULL })

export const isReadOnly = (error: unknown): boolean => isCode(error, READ_ONLY)

/** Returns why the database refuses every write for the time being, or undefined if that is not what an error says. */
export function writesRefused(error: unknown): StatusError | undefined {
  if (isStorageFull(error))
    return new StatusError(
      'UNAVAILABLE',
      'storage_full',
      'The storage of the database is full; reads work, changes work again when there is space.',
      { cause: error },
    )
  if (isReadOnly(error))
    return new StatusError(
      'UNAVAILABLE',
      'database_read_only',
      'The database accepts no changes: it is read-only; reads work.',
      { cause: error },
    )
  return undefined
}

/** TLS was asked for, and the server has none, or a certificate that is not trusted for its name now. */
const TLS_REFUSED = /^(CERT_|ERR_TLS_CERT_|ERR_SSL_|UNABLE_TO_|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN)/
const NO_TLS = /does not support SSL/
/** The driver has no password to send. */
const NO_PASSWORD = /password must be a string/

/** Returns why each attempt to connect fails until somebody changes a setting, or undefined. */
export function refusalOf(error: unknown): 'database' | 'password' | 'certificate' | 'tls' | undefined {
  const code = codeOf(error) ?? ''
  const { message = '' } = error instanceof Error ? error : {}
  if (code.startsWith('3D')) return 'database'
  if (code.startsWith('28') || NO_PASSWORD.test(message)) return 'password'
  if (NO_TLS.test(message)) return 'tls'
  return TLS_REFUSED.test(code) ? 'certificate' : undefined
}

const CANNOT_CONNECT = '08001'

/** Returns the error of a connection that was not opened, whatever the reason: it counts as one that was lost. */
export const notConnected = (error: unknown): unknown =>
  toStatusError(error) !== undefined || !(error instanceof Error)
    ? error
    : Object.assign(new Error(error.message, { cause: error }), { code: CANNOT_CONNECT })

/** Returns whether a call failed because there was no connection; a change that no standby confirms reached its database. */
export const isUnreachable = ({ reason, cause }: StatusError): boolean =>
  reason === 'database_unavailable' && isConnectionLost(cause) && !isCode(cause, UNCONFIRMED)

/** Returns the status of a database error, or undefined if the error is unexpected. */
export function toStatusError(error: unknown): StatusError | undefined {
  if (error instanceof StatusError) return error
  const refused = writesRefused(error)
  if (refused !== undefined) return refused
  // The rest of class 53: memory, connections and other limits of the server.
  if (/^53/.test(codeOf(error) ?? ''))
    return new StatusError(
      'UNAVAILABLE',
      'database_exhausted',
      'The database has no memory, connections or other resources left; try again.',
      { cause: error },
    )
  if (isCode(error, UNCONFIRMED))
    return new StatusError(
      'UNAVAILABLE',
      'database_unavailable',
      'The standby of the database did not confirm the change in time; a failover may lose the change.',
      { cause: error },
    )
  if (isConnectionLost(error))
    return new StatusError('UNAVAILABLE', 'database_unavailable', 'The database cannot be reached; try again.', {
      cause: error,
    })
  if (isCode(error, SERIALIZATION_FAILURE, DEADLOCK, FOREIGN_KEY_VIOLATION))
    return new StatusError('ABORTED', 'lost_a_race', 'The call conflicted with another change; try again.', {
      cause: error,
    })
  if (isCode(error, REFUSED_FOR_NOW, UNAVAILABLE_FOR_NOW)) {
    const { message, detail = '' } = error as Error & { detail?: string }
    const status = isCode(error, REFUSED_FOR_NOW) ? 'ABORTED' : 'UNAVAILABLE'
    return new StatusError(status, detail, message, { retryAfterSeconds: 1, cause: error })
  }
  if (isCode(error, QUERY_CANCELED, LOCK_NOT_AVAILABLE))
    return new StatusError('DEADLINE_EXCEEDED', 'took_too_long', 'The database took too long; try again.', {
      cause: error,
    })
  return undefined
}
