/** The reasons with which any operation can fail, or any operation with the feature that the meaning names. */
import { type Operation, takesIdempotencyKey } from '../core/operation.ts'
import type { Status } from '../core/status.ts'
import { needsFreshSignIn } from '../workspace/operator-roles.ts'

/** The description of the `reason` of an error. */
export interface Reason {
  statuses: readonly Status[]
  meaning: string
  /** What to do next. */
  next: string
  /** The operations that can fail with it; absent: all. */
  of?: (operation: Operation, status: Status) => boolean
}

const takesCredentials = ({ credentials }: Operation): boolean => credentials !== 'none'

const hasField =
  (...names: string[]) =>
  ({ data }: Operation): boolean =>
    names.some((name) => name in ((data as { properties?: object }).properties ?? {}))

export const COMMON_REASONS: Readonly<Record<string, Reason>> = {
  invalid_argument: {
    statuses: ['INVALID_ARGUMENT'],
    meaning: 'A field is missing, unknown or wrong; `details` lists every fault.',
    next: 'Fix the faults in `details`; the same call would fail again.',
  },
  header_missing: {
    statuses: ['INVALID_ARGUMENT'],
    meaning: 'A credentials header is absent or empty; the message names it.',
    next: 'Send the header. With another `HEADER_PREFIX` the names differ.',
    of: takesCredentials,
  },
  content_type_invalid: {
    statuses: ['INVALID_ARGUMENT'],
    meaning: 'The `Content-Type` is not `application/json`.',
    next: 'Send `Content-Type: application/json`.',
  },
  body_invalid: {
    statuses: ['INVALID_ARGUMENT'],
    meaning: 'The body is empty, not UTF-8, not JSON, or truncated.',
    next: 'Send the complete body `{ "data": { … } }` as JSON in UTF-8.',
  },
  body_too_large: {
    statuses: ['INVALID_ARGUMENT'],
    meaning: 'The body is longer than `BODY_BYTES_MAX`.',
    next: 'Send less in one call, or ask the operator to raise the limit.',
  },
  request_invalid: {
    statuses: ['INVALID_ARGUMENT'],
    meaning: 'The HTTP request is malformed.',
    next: 'Check the sender: the client library, or a proxy in between.',
  },
  page_token_invalid: {
    statuses: ['INVALID_ARGUMENT'],
    meaning: 'In lists: the `pageToken` or `iterator` does not come from this query.',
    next: 'Start again without the token, and change nothing else of a query between its pages.',
    of: hasField('pageToken', 'iterator'),
  },
  credentials_invalid: {
    statuses: ['UNAUTHENTICATED'],
    meaning: 'The credentials are unknown, expired or revoked, or do not belong together.',
    next: 'Check that the token belongs to this API key or workspace and to this server. Create a new one (`workspace/authtoken/create`) if it has expired or was revoked. With a user token, sign in again.',
    of: takesCredentials,
  },
  api_key_disabled: {
    statuses: ['PERMISSION_DENIED'],
    meaning: 'The API key is disabled.',
    next: 'Enable it with `workspace/apikey/enable`.',
    of: ({ credentials }) => credentials === 'apiKey',
  },
  scope_missing: {
    statuses: ['PERMISSION_DENIED'],
    meaning: 'The auth token lacks the scope that the operation needs; the message names it.',
    next: 'Use a token with that scope; `workspace/authtoken/create` creates one.',
    of: ({ credentials }) => credentials === 'apiKey',
  },
  role_missing: {
    statuses: ['PERMISSION_DENIED'],
    meaning:
      'In console sessions: the role of the operator does not allow the call; the message names the role that does, and whom to ask.',
    next: 'Ask somebody with that role; [roles](roles.md) says what each role may.',
    of: takesCredentials,
  },
  sign_in_again: {
    statuses: ['PERMISSION_DENIED'],
    meaning:
      'In console sessions: the operator signed in too long ago for a call that shows a secret, deletes an API key, changes a role or changes single sign-on.',
    next: 'Sign in again, and repeat the call within ten minutes.',
    of: needsFreshSignIn,
  },
  company_sign_in_required: {
    statuses: ['PERMISSION_DENIED'],
    meaning:
      'At a sign-in to the console: the role of the operator comes from the rules of single sign-on, so a link or a passkey is not enough.',
    next: 'Sign in with your company.',
    of: () => false,
  },
  idempotency_key_invalid: {
    statuses: ['INVALID_ARGUMENT'],
    meaning: 'On calls that write: the `Idempotency-Key` is empty, too long or not printable ASCII.',
    next: 'Send 1 to 255 printable ASCII characters, such as a UUID.',
    of: takesIdempotencyKey,
  },
  idempotency_key_in_use: {
    statuses: ['ABORTED'],
    meaning: 'The first call with this `Idempotency-Key` is still in progress.',
    next: 'Repeat the call with the same key after a moment: it gets the response of the first.',
    of: takesIdempotencyKey,
  },
  idempotency_key_reused: {
    statuses: ['INVALID_ARGUMENT'],
    meaning: 'The `Idempotency-Key` was used for another operation or body.',
    next: 'Use a new key for each change, and the same key only to repeat it.',
    of: takesIdempotencyKey,
  },
  origin_not_allowed: {
    statuses: ['PERMISSION_DENIED'],
    meaning: 'A user token came from a page whose host is not among the allowed domains of the API key.',
    next: 'Add the host of the page with `workspace/domains/add`.',
    of: ({ userToken }) => userToken === true,
  },
  operation_not_implemented: {
    statuses: ['UNIMPLEMENTED'],
    meaning: 'The path belongs to a feature that Commonhold does not have; the message says what to do instead.',
    next: 'Omit the call, or do what the message says; [coverage](coverage.md) lists all such paths.',
    of: () => false,
  },
  bucket_not_found: {
    statuses: ['NOT_FOUND'],
    meaning: '`/metrics?bucket=NAME` names no bucket of the installation.',
    next: 'Name one of `commonhold buckets list`.',
    of: () => false,
  },
  metrics_closed: {
    statuses: ['PERMISSION_DENIED'],
    meaning: '`/metrics` is closed to this caller: the operator has not set `METRICS_TOKEN`.',
    next: 'Set `METRICS_TOKEN`.',
    of: () => false,
  },
  metrics_token_wrong: {
    statuses: ['UNAUTHENTICATED'],
    meaning: 'A request to `/metrics` has no `METRICS_TOKEN`, or a wrong one.',
    next: 'Send it as `Authorization: Bearer`.',
    of: () => false,
  },
  path_unknown: {
    statuses: ['NOT_FOUND'],
    meaning: 'No operation has this path and method.',
    next: 'Call a path of [operations](operations.md), with POST.',
    of: () => false,
  },
  rate_limited: {
    statuses: ['RESOURCE_EXHAUSTED'],
    meaning: 'Too many requests.',
    next: 'Wait for the time in `Retry-After`.',
    of: ({ unlimited }) => unlimited !== true,
  },
  queue_full: {
    statuses: ['RESOURCE_EXHAUSTED'],
    meaning: 'Too many requests are waiting for the database.',
    next: 'Retry with increasing pauses. If it persists, the database is too slow for the load.',
  },
  user_being_erased: {
    statuses: ['ABORTED'],
    meaning:
      'The call would store something about a user while a job of `users/data/delete` erases that user; nothing was stored.',
    next: 'Retry when `users/data/delete/status` says that the job is completed.',
    of: ({ scope }) => scope === 'write',
  },
  lost_a_race: {
    statuses: ['ABORTED'],
    meaning: 'The call conflicted with another change.',
    next: 'Retry: nothing was changed.',
  },
  took_too_long: {
    statuses: ['DEADLINE_EXCEEDED'],
    meaning: 'A statement, or the wait for a lock, took longer than allowed.',
    next: 'Retry after a pause, with the same `Idempotency-Key` if the call changes data. If it persists, do less in one call.',
  },
  database_unavailable: {
    statuses: ['UNAVAILABLE'],
    meaning: 'The database cannot be reached.',
    next: 'Retry with increasing pauses, with the same `Idempotency-Key` if the call changes data; `/readyz` reports when the database is back.',
  },
  database_exhausted: {
    statuses: ['UNAVAILABLE'],
    meaning: 'The database has no memory, connections or other resources left.',
    next: 'Retry with increasing pauses. If it persists, the operator gives PostgreSQL more of what its log names.',
  },
  storage_full: {
    statuses: ['UNAVAILABLE'],
    meaning: 'The storage of the database is full. Nothing was changed; reads work.',
    next: 'Retry when the operator has made space; no restart is needed. `/readyz` and the metric `commonhold_database_writable` report it.',
  },
  database_read_only: {
    statuses: ['UNAVAILABLE'],
    meaning: 'The database accepts no changes: its provider has made it read-only. Reads work.',
    next: 'Retry when the database accepts changes. If it persists, the operator gives the database more storage.',
  },
  no_primary: {
    statuses: ['UNAVAILABLE'],
    meaning: 'No PostgreSQL server of `DATABASE_URL` is primary: a failover is under way, or only standbys respond.',
    next: 'Retry with increasing pauses, with the same `Idempotency-Key` if the call changes data. If it persists, the operator promotes a standby.',
  },
  primary_disputed: {
    statuses: ['UNAVAILABLE'],
    meaning:
      'The PostgreSQL server that this server reaches is a former primary, belongs to another cluster, or is one of two that say they are primary. Nothing is read from it or written to it.',
    next: 'Retry later. The operator stops the wrong PostgreSQL server; `/readyz` and the metric `commonhold_database_disputed` report it.',
  },
  master_key_replaced: {
    statuses: ['UNAVAILABLE'],
    meaning:
      'The call would store a secret, such as a token or the answer to a call with an `Idempotency-Key`, and this server still has a master key that `commonhold master-key reseal` has replaced. Nothing was changed.',
    next: 'Repeat the call, with the same `Idempotency-Key`: other servers carry it out. The operator restarts this server with the new `MASTER_KEY`; `/readyz` and the log report it.',
  },
  bucket_unavailable: {
    statuses: ['UNAVAILABLE'],
    meaning:
      'The data is in a database of its own (a bucket), which the message names and which cannot be reached. API keys in other databases are not affected.',
    next: 'Retry with increasing pauses, with the same `Idempotency-Key` if the call changes data. If it persists, the operator looks at the database of the bucket.',
  },
  api_key_moved: {
    statuses: ['UNAVAILABLE'],
    meaning: 'The data of the API key has just been moved to another database. Nothing was read or changed.',
    next: 'Repeat the call, with the same `Idempotency-Key` if it changes data.',
  },
  api_key_moving: {
    statuses: ['UNAVAILABLE'],
    meaning:
      'The data of the API key is being moved to another database. Nothing was changed; reads work, unless they store an answer of the permission provider.',
    next: 'Repeat the call when the key is moved, with the same `Idempotency-Key`. That takes seconds, with millions of rows minutes.',
    of: ({ scope, reasons = [] }) => scope !== 'read' || reasons.includes('permission_provider_failed'),
  },
  internal: {
    statuses: ['INTERNAL'],
    meaning: 'A fault of the server; its log has the error under the `requestId`.',
    next: 'Check the log of the server, and report the fault.',
  },
}
