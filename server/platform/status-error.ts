/** The error that becomes a response: a status, a stable reason and a sentence for the caller. `cause` is only logged. */
import type { Status } from '#contract/core/status.ts'

export class StatusError extends Error {
  readonly status: Status
  readonly reason: string
  readonly details: unknown
  /** Seconds after which a retry makes sense; becomes the `Retry-After` header. */
  readonly retryAfterSeconds: number | undefined

  constructor(
    status: Status,
    reason: string,
    message: string,
    options: { details?: unknown; cause?: unknown; retryAfterSeconds?: number } = {},
  ) {
    super(message, { cause: options.cause })
    this.name = 'StatusError'
    this.status = status
    this.reason = reason
    this.details = options.details
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}

/** Returns the same error for every wrong credential: it must not reveal which part was wrong. */
export const credentialsInvalid = (cause?: unknown): StatusError =>
  new StatusError('UNAUTHENTICATED', 'credentials_invalid', 'The credentials are not valid.', { cause })

/** Returns the error for faults in the body: `details` lists all of them, the message is the first (rules/contract.md#faults-of-a-body). */
export function invalidArgument(
  faults: { field: string; message: string }[],
  reason = 'invalid_argument',
): StatusError {
  return new StatusError('INVALID_ARGUMENT', reason, faults[0]?.message ?? 'The request is invalid.', {
    details: faults,
  })
}
