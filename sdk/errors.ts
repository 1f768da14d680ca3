/** The one error that calls fail with. What the server refused has its status and reason; what never got an answer has ours. */
import { LASTING, RETRYABLE, type ServerReason, type Status } from './generated/errors.ts'

/** Why a call failed that got no answer of Commonhold. */
export type ClientReason =
  /** UNAVAILABLE: no connection, or it broke before the answer was complete. */
  | 'unreachable'
  /** DEADLINE_EXCEEDED: no answer within `timeoutMs` or `tryTimeoutMs`. */
  | 'timed_out'
  /** UNAVAILABLE: something between here and the server answered for it, such as a gateway or a load balancer. */
  | 'gateway_failed'
  /** UNIMPLEMENTED: what answers at the URL is not Commonhold. */
  | 'not_commonhold'
  /** INTERNAL: the answer is cut off or garbled. */
  | 'answer_unreadable'

export type Reason = ServerReason | ClientReason

/** A field of the call that is wrong, in the words of the server. */
export interface Fault {
  field: string
  message: string
}

export interface Failure {
  /** What was called: `permissions.add`. */
  operation: string
  status: Status
  reason: Reason
  message: string
  details?: unknown
  requestId?: string
  /** In milliseconds, where the server asked to wait. */
  retryAfterMs?: number
  cause?: unknown
}

export class CommonholdError extends Error {
  override readonly name = 'CommonholdError'
  /** What was called: `permissions.add`. */
  readonly operation: string
  readonly status: Status
  readonly reason: Reason
  /** What more the server says; for INVALID_ARGUMENT see `faults`. */
  readonly details: unknown
  /** Finds the call in the log of the server. Absent when the server gave no answer. */
  readonly requestId: string | undefined
  /** Whether the same call may succeed later. */
  readonly retryable: boolean
  /** How long the server asked to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined

  constructor({ operation, status, reason, message, details, requestId, retryAfterMs, cause }: Failure) {
    super(message, cause === undefined ? {} : { cause })
    this.operation = operation
    this.status = status
    this.reason = reason
    this.details = details
    this.requestId = requestId
    this.retryable = RETRYABLE.includes(status) && !LASTING.includes(reason)
    this.retryAfterMs = retryAfterMs
  }

  /** Every fault of a call that is INVALID_ARGUMENT; empty for other failures. */
  get faults(): readonly Fault[] {
    return this.status === 'INVALID_ARGUMENT' && Array.isArray(this.details) ? this.details : []
  }
}

/** What the runtime says of a connection that failed: ` (ECONNREFUSED)`. Browsers say nothing. */
export function causeOf(error: unknown): string {
  const { code, message } = ((error as { cause?: unknown }).cause ?? error) as { code?: string; message?: string }
  const said = code ?? message
  return said === undefined ? '' : ` (${said})`
}
