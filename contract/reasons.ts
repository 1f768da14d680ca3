/** Every `reason` of an error with its status and meaning: the only such table. The reference pages and the OpenAPI document read it. */
import { type Operation, takesIdempotencyKey, writes } from './operation.ts'
import { STATUS, type Status } from './status.ts'

export interface Reason {
  statuses: readonly Status[]
  meaning: string
  /** Which operations answer it, of those that may; absent: all. */
  of?: (operation: Operation, status: Status) => boolean
}

const takesCredentials = ({ credentials }: Operation): boolean => credentials !== 'none'

const hasField =
  (...names: string[]) =>
  ({ data }: Operation): boolean =>
    names.some((name) => name in ((data as { properties?: object }).properties ?? {}))

/** Reasons that any operation may answer, or any with what the meaning names. */
export const COMMON_REASONS: Readonly<Record<string, Reason>> = {
  invalid_argument: {
    statuses: ['INVALID_ARGUMENT'],
    meaning: 'A field is missing, unknown or wrong; `details` lists every fault.',
  },
  header_missing: {
    statuses: ['INVALID_ARGUMENT'],
    meaning: 'A header with credentials is absent or empty; the message names it.',
    of: takesCredentials,
  },
  content_type_invalid: { statuses: ['INVALID_ARGUMENT'], meaning: 'The body is not announced as `application/json`.' },
  body_invalid: { statuses: ['INVALID_ARGUMENT'], meaning: 'The body is empty, not UTF-8, not JSON, or cut off.' },
  body_too_large: { statuses: ['INVALID_ARGUMENT'], meaning: 'The body is longer than `BODY_BYTES_MAX`.' },
  request_invalid: { statuses: ['INVALID_ARGUMENT'], meaning: 'The HTTP request itself is broken.' },
  page_token_invalid: {
    statuses: ['INVALID_ARGUMENT'],
    meaning: 'In lists: the `pageToken`, or `iterator`, is not one that this query gave out.',
    of: hasField('pageToken', 'iterator'),
  },
  credentials_invalid: {
    statuses: ['UNAUTHENTICATED'],
    meaning: 'The credentials are unknown, ended, or do not go together.',
    of: takesCredentials,
  },
  api_key_disabled: {
    statuses: ['PERMISSION_DENIED'],
    meaning: 'The API key is disabled.',
    of: ({ credentials }) => credentials === 'apiKey',
  },
  scope_missing: {
    statuses: ['PERMISSION_DENIED'],
    meaning: 'The auth token does not have the scope that the operation needs; the message names it.',
    of: ({ credentials }) => credentials === 'apiKey',
  },
  idempotency_key_invalid: {
    statuses: ['INVALID_ARGUMENT'],
    meaning: 'On calls that write: the `Idempotency-Key` is empty, too long or not printable ASCII.',
    of: takesIdempotencyKey,
  },
  idempotency_key_in_use: {
    statuses: ['ABORTED'],
    meaning: 'The first call with this `Idempotency-Key` is still under way.',
    of: takesIdempotencyKey,
  },
  idempotency_key_reused: {
    statuses: ['INVALID_ARGUMENT'],
    meaning: 'The `Idempotency-Key` was used for another operation or body; take a new one for each change.',
    of: takesIdempotencyKey,
  },
  origin_not_allowed: {
    statuses: ['PERMISSION_DENIED'],
    meaning: 'A user token came from a page whose host is not among the allowed domains of the API key.',
    of: ({ userToken }) => userToken === true,
  },
  operation_not_implemented: {
    statuses: ['UNIMPLEMENTED'],
    meaning: 'The path belongs to a feature that Commonhold does not have; the message says what to do instead.',
    of: () => false,
  },
  metrics_closed: {
    statuses: ['PERMISSION_DENIED'],
    meaning: '`/metrics` is asked by somebody who may not read it: the operator has set no `METRICS_TOKEN`.',
    of: () => false,
  },
  metrics_token_wrong: {
    statuses: ['UNAUTHENTICATED'],
    meaning: '`/metrics` is asked without the `METRICS_TOKEN` of the operator, or with another.',
    of: () => false,
  },
  path_unknown: {
    statuses: ['NOT_FOUND'],
    meaning: 'There is no such path, or it is called with another method.',
    of: () => false,
  },
  rate_limited: {
    statuses: ['RESOURCE_EXHAUSTED'],
    meaning: 'Too many requests; `Retry-After` says when to try again.',
    of: ({ credentials }) => credentials !== 'workspace',
  },
  queue_full: { statuses: ['RESOURCE_EXHAUSTED'], meaning: 'The process has too much waiting for the database.' },
  lost_a_race: { statuses: ['ABORTED'], meaning: 'Another change got in the way.' },
  took_too_long: { statuses: ['DEADLINE_EXCEEDED'], meaning: 'A statement or a lock took longer than allowed.' },
  database_unavailable: { statuses: ['UNAVAILABLE'], meaning: 'The database cannot be reached.' },
  internal: { statuses: ['INTERNAL'], meaning: 'A fault of the server; the log has it under the `requestId`.' },
}

/** Reasons that operations of the contract declare. */
export const OPERATION_REASONS: Readonly<Record<string, Reason>> = {
  advanced_webhooks_disabled: {
    statuses: ['FAILED_PRECONDITION'],
    meaning:
      'Signed webhooks are switched off; `advancedwebhookconfig/update` with `isEnabled: true` switches them on.',
  },
  api_key_does_not_exist: { statuses: ['NOT_FOUND'], meaning: 'The workspace has no such API key.' },
  api_key_name_wrong: {
    statuses: ['INVALID_ARGUMENT'],
    meaning: 'The name typed back is not the name of the API key: nothing was deleted.',
  },
  auth_token_does_not_exist: { statuses: ['NOT_FOUND'], meaning: 'The API key has no auth token with this id.' },
  document_does_not_exist: { statuses: ['NOT_FOUND'], meaning: 'The organization has no such document.' },
  document_was_migrated: {
    statuses: ['INVALID_ARGUMENT'],
    meaning: 'The document has another id now: `migratedTo` in `details`.',
  },
  email_domain_refused: {
    statuses: ['INVALID_ARGUMENT'],
    meaning: 'The address belongs to a disposable e-mail service.',
  },
  field_not_implemented: {
    statuses: ['UNIMPLEMENTED'],
    meaning: 'The field belongs to a feature that Commonhold does not have.',
  },
  folder_does_not_exist: { statuses: ['NOT_FOUND'], meaning: 'The organization has no such folder.' },
  mail_server_missing: {
    statuses: ['FAILED_PRECONDITION'],
    meaning: 'Mails of the API key go through the mail server of the installation, and it has none.',
  },
  migration_does_not_exist: { statuses: ['NOT_FOUND'], meaning: 'The organization has no such migration.' },
  organization_does_not_exist: { statuses: ['NOT_FOUND'], meaning: 'The API key has no such organization.' },
  other_user: { statuses: ['PERMISSION_DENIED'], meaning: 'A user token asked about another user than its own.' },
  resource_does_not_exist: {
    statuses: ['INVALID_ARGUMENT', 'NOT_FOUND'],
    meaning:
      'A resource is not there: INVALID_ARGUMENT from calls that grant with a key that has `requireKnownResources`, and from `permissions.simulate`, NOT_FOUND from `permissions.get`.',
    of: (operation, status) =>
      (status === 'INVALID_ARGUMENT') === (writes(operation) || operation.name === 'permissions.simulate'),
  },
  signup_closed: { statuses: ['PERMISSION_DENIED'], meaning: 'The operator has closed sign-up (`SIGNUP`).' },
  signup_token_wrong: { statuses: ['PERMISSION_DENIED'], meaning: 'Sign-up needs the token of the operator.' },
  too_many_auth_tokens: {
    statuses: ['RESOURCE_EXHAUSTED'],
    meaning: 'The API key has as many valid auth tokens as it can; revoke one.',
  },
  too_many_domains: {
    statuses: ['RESOURCE_EXHAUSTED'],
    meaning: 'The API key would have more allowed domains than it can; none was added.',
  },
  too_many_folders: {
    statuses: ['RESOURCE_EXHAUSTED'],
    meaning: 'A tree would have more folders than fit in one answer.',
  },
  too_many_pairs: {
    statuses: ['RESOURCE_EXHAUSTED'],
    meaning: 'The changes touch more pairs of a user and a resource than one simulation looks at.',
  },
  too_many_production_keys: {
    statuses: ['RESOURCE_EXHAUSTED'],
    meaning: '`PRODUCTION_KEYS_PER_WORKSPACE` is reached.',
  },
  too_many_signing_keys: {
    statuses: ['RESOURCE_EXHAUSTED'],
    meaning: 'The API key has as many live signing keys as it can; rotate with a shorter `gracePeriodSeconds`.',
  },
  too_many_webhook_endpoints: {
    statuses: ['RESOURCE_EXHAUSTED'],
    meaning: 'The API key has as many webhook endpoints as it can; delete one.',
  },
  too_many_webhook_messages: {
    statuses: ['RESOURCE_EXHAUSTED'],
    meaning: 'More messages would be sent again than one call does; nothing was. Give `until`.',
  },
  too_many_workspaces: {
    statuses: ['RESOURCE_EXHAUSTED'],
    meaning: 'The e-mail address owns as many workspaces as it can.',
  },
  user_group_does_not_exist: { statuses: ['NOT_FOUND'], meaning: 'The organization has no such user group.' },
  webhook_endpoint_disabled: {
    statuses: ['FAILED_PRECONDITION'],
    meaning: 'The webhook endpoint is disabled: nothing is sent to it.',
  },
  webhook_endpoint_does_not_exist: { statuses: ['NOT_FOUND'], meaning: 'The API key has no such webhook endpoint.' },
  webhook_endpoint_uid_taken: {
    statuses: ['ALREADY_EXISTS'],
    meaning: 'Another webhook endpoint of the API key has this `uid`.',
  },
  webhook_message_does_not_exist: {
    statuses: ['NOT_FOUND'],
    meaning: 'The API key has no such webhook message, or its event is no longer kept.',
  },
  user_data_deletion_does_not_exist: { statuses: ['NOT_FOUND'], meaning: 'The API key has no such job.' },
}

/** The reasons that an operation can answer, by status, in the order of the statuses. */
export function reasonsByStatus(operation: Operation): [Status, string[]][] {
  const declared = (operation.reasons ?? []).map((name): [string, Reason | undefined] => [
    name,
    OPERATION_REASONS[name],
  ])
  const all = [...Object.entries<Reason | undefined>(COMMON_REASONS), ...declared]
  return (Object.keys(STATUS) as Status[]).flatMap((status): [Status, string[]][] => {
    const reasons = all.filter(
      ([, reason]) => reason?.statuses.includes(status) && (reason.of?.(operation, status) ?? true),
    )
    return reasons.length === 0 ? [] : [[status, reasons.map(([name]) => name)]]
  })
}
