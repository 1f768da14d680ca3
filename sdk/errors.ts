/**
 * The only error with which calls fail. Its status and reason are from the response of the server, or from the client if no
 * response arrived.
 */
import { LASTING, RETRYABLE, type ServerReason, type Status } from './generated/errors.ts'

/** Why a call failed that got no response from Commonhold. */
export type ClientReason =
  /** UNAVAILABLE: no connection, or it broke before the response was complete. */
  | 'unreachable'
  /** DEADLINE_EXCEEDED: no response within `timeoutMs` or `tryTimeoutMs`. */
  | 'timed_out'
  /** UNAVAILABLE: a gateway or load balancer in front of the server responded with its own error. */
  | 'gateway_failed'
  /** UNIMPLEMENTED: the response at this URL is not from Commonhold. */
  | 'not_commonhold'
  /** INTERNAL: the response is truncated or malformed. */
  | 'answer_unreadable'

export type Reason = ServerReason | ClientReason

/** A field of the call that is invalid, with the message of the server. */
export interface Fault {
  field: string
  message: string
}

export interface Failure {
  /** The method that was called: `permissions.add`. */
  operation: string
  status: Status
  reason: Reason
  /** The message without the name of the method, which the error adds. */
  message: string
  details?: unknown
  requestId?: string
  retryAfterMs?: number
  cause?: unknown
}

export class CommonholdError extends Error {
  override readonly name = 'CommonholdError'
  /** The method that was called: `permissions.add`. */
  readonly operation: string
  readonly status: Status
  readonly reason: Reason
  /** The message without the name of the method, to show to people. */
  readonly explanation: string
  /** Further details from the server; for INVALID_ARGUMENT see `faults`. */
  readonly details: unknown
  /** Identifies the call in the log of the server. Absent when the server did not respond. */
  readonly requestId: string | undefined
  /** Whether the same call may succeed later. */
  readonly retryable: boolean
  /** How long to wait before the next attempt, in milliseconds, if the server says so. */
  readonly retryAfterMs: number | undefined

  constructor({ operation, status, reason, message, details, requestId, retryAfterMs, cause }: Failure) {
    super(`${operation}: ${message}`, cause === undefined ? {} : { cause })
    this.operation = operation
    this.status = status
    this.reason = reason
    this.explanation = message
    this.details = details
    this.requestId = requestId
    this.retryable = RETRYABLE.includes(status) && !LASTING.includes(reason)
    this.retryAfterMs = retryAfterMs
  }

  /** Every fault of a call that failed with INVALID_ARGUMENT; empty for other failures. */
  get faults(): readonly Fault[] {
    return this.status === 'INVALID_ARGUMENT' && Array.isArray(this.details) ? this.details : []
  }
}

/** Returns the error with only the given faults, and with its fields renamed to the names that the caller wrote. */
export function renamed(
  error: CommonholdError,
  faults: readonly Fault[],
  rename: (text: string) => string,
): CommonholdError {
  const { operation, status, reason, requestId, retryAfterMs } = error
  const details = faults.map(({ field, message }) => ({ field: rename(field), message: rename(message) }))
  return new CommonholdError({
    ...{ operation, status, reason, requestId, retryAfterMs },
    message: details[0]?.message ?? rename(error.explanation),
    details: details.length > 0 ? details : error.details,
    cause: error,
  })
}

/** Returns why a connection failed, in parentheses: ` (ECONNREFUSED)`. Empty in browsers, which do not report it. */
export function causeOf(error: unknown): string {
  const { code, message } = ((error as { cause?: unknown }).cause ?? error) as { code?: string; message?: string }
  const cause = code ?? message
  return cause === undefined ? '' : ` (${cause})`
}
