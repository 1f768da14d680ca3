/** What an error of the database means for the caller. Anything unknown is INTERNAL; a fault is never a denial. */
import { StatusError } from '../status-error.ts'

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined

export const SERIALIZATION_FAILURE = '40001'
export const DEADLOCK = '40P01'
export const LOCK_NOT_AVAILABLE = '55P03'
export const QUERY_CANCELED = '57014'
/** What a change refers to was deleted between its statements. */
export const FOREIGN_KEY_VIOLATION = '23503'
const TOO_MANY_CONNECTIONS = '53300'
/** The server ended a connection that did nothing in a transaction. */
const IDLE_IN_TRANSACTION = '25P03'

/** In a word: its SQLSTATE, or what else it is. */
export const sqlState = (error: unknown): string => {
  const code = codeOf(error) ?? ''
  return /^[0-9A-Z]{5}$/.test(code) && !NETWORK_CODES.has(code)
    ? code
    : isConnectionLost(error)
      ? 'connection'
      : 'other'
}

export const isCode = (error: unknown, ...codes: string[]): boolean => codes.includes(codeOf(error) ?? '')

const NETWORK_CODES = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'ENOENT'])

/** What a transaction throws that has seen by itself that it must be run again. */
export const lostRace = (why: string): Error => Object.assign(new Error(why), { code: SERIALIZATION_FAILURE })

/** The name of the constraint that an error is about. */
export const constraintOf = (error: unknown): string =>
  error instanceof Error && 'constraint' in error ? String(error.constraint) : ''

/** The connection broke or could not be made: what was under way may or may not have happened. */
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
    NETWORK_CODES.has(code) || /^(08|57P0)/.test(code) || code === TOO_MANY_CONNECTIONS || code === IDLE_IN_TRANSACTION
  )
}

/** The server is there and will not have us, whenever we ask: wrong password, no such database. */
export const isRefused = (error: unknown): boolean => /^(28|3D000)/.test(codeOf(error) ?? '')

/** Turns an error of the database into its status, or undefined when it is not one that we expect. */
export function toStatusError(error: unknown): StatusError | undefined {
  if (isConnectionLost(error))
    return new StatusError('UNAVAILABLE', 'database_unavailable', 'The database cannot be reached; try again.', {
      cause: error,
    })
  if (isCode(error, SERIALIZATION_FAILURE, DEADLOCK, FOREIGN_KEY_VIOLATION))
    return new StatusError('ABORTED', 'lost_a_race', 'Another change got in the way; try again.', { cause: error })
  if (isCode(error, QUERY_CANCELED, LOCK_NOT_AVAILABLE))
    return new StatusError('DEADLINE_EXCEEDED', 'took_too_long', 'The database took too long; try again.', {
      cause: error,
    })
  return undefined
}
