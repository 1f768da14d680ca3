/** The one error that becomes an answer: a status, a stable reason and a sentence for the caller; `cause` is for the log only. */
import type { Status } from '#contract/status.ts'

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

/** One and the same for every wrong credential: which part was wrong is nobody's business. */
export const credentialsInvalid = (cause?: unknown): StatusError =>
  new StatusError('UNAUTHENTICATED', 'credentials_invalid', 'The credentials are not valid.', { cause })

/** A fault in the body: `details` lists every one, the message is the first (rules/contract.md#faults-of-a-body). */
export function invalidArgument(
  faults: { field: string; message: string }[],
  reason = 'invalid_argument',
): StatusError {
  return new StatusError('INVALID_ARGUMENT', reason, faults[0]?.message ?? 'The request is invalid.', {
    details: faults,
  })
}
