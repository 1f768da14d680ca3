/**
 * The status values of the API with their HTTP codes, and whether a retry can help: the only such table
 * (rules/contract.md#status-values).
 */
export const STATUS = {
  INVALID_ARGUMENT: { http: 400, retryable: false },
  FAILED_PRECONDITION: { http: 400, retryable: false },
  UNAUTHENTICATED: { http: 401, retryable: false },
  PERMISSION_DENIED: { http: 403, retryable: false },
  NOT_FOUND: { http: 404, retryable: false },
  ALREADY_EXISTS: { http: 409, retryable: false },
  ABORTED: { http: 409, retryable: true },
  RESOURCE_EXHAUSTED: { http: 429, retryable: true },
  INTERNAL: { http: 500, retryable: false },
  UNIMPLEMENTED: { http: 501, retryable: false },
  UNAVAILABLE: { http: 503, retryable: true },
  DEADLINE_EXCEEDED: { http: 504, retryable: true },
} as const

export type Status = keyof typeof STATUS

/** Stands in the place of a request id in the responses of a server that is starting. It has made no call. */
export const STARTING = 'start'
