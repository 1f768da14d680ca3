/** Every `reason` of an error with its status and meaning: the only such table. The reference pages and the OpenAPI document read it. */
import { type Operation, takesIdempotencyKey, writes } from './operation.ts'
import { STATUS, type Status } from './status.ts'

export interface Reason {
  statuses: readonly Status[]
  meaning: string
  /** What to do next. */
  next: string
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
    next: 'Mend what `details` names; the same call fails again.',
  },
  header_missing: {
    statuses: ['INVALID_ARGUMENT'],
    meaning: 'A header with credentials is absent or empty; the message names it.',
    next: 'Send the header; a server with another `HEADER_PREFIX` has other names.',
    of: takesCredentials,
  },
  content_type_invalid: {
    statuses: ['INVALID_ARGUMENT'],
    meaning: 'The body is not announced as `application/json`.',
    next: 'Send `Content-Type: application/json`.',
  },
  body_invalid: {
    statuses: ['INVALID_ARGUMENT'],
    meaning: 'The body is empty, not UTF-8, not JSON, or cut off.',
    next: 'Send `{ "data": { … } }` as JSON in UTF-8, whole.',
  },
  body_too_large: {
    statuses: ['INVALID_ARGUMENT'],
    meaning: 'The body is longer than `BODY_BYTES_MAX`.',
    next: 'Send less at once, or ask the operator for more.',
  },
  request_invalid: {
    statuses: ['INVALID_ARGUMENT'],
    meaning: 'The HTTP request itself is broken.',
    next: 'Look at what sends it: the client library or a proxy on the way.',
  },
  page_token_invalid: {
    statuses: ['INVALID_ARGUMENT'],
    meaning: 'In lists: the `pageToken`, or `iterator`, is not one that this query gave out.',
    next: 'Begin again without the token; change nothing else of a query between its pages.',
    of: hasField('pageToken', 'iterator'),
  },
  credentials_invalid: {
    statuses: ['UNAUTHENTICATED'],
    meaning: 'The credentials are unknown, ended, or do not go together.',
    next: 'Look whether the token belongs to this API key or workspace and to this server; make a new one (`workspace/authtoken/create`) if it has ended. Who holds a user token signs in again.',
    of: takesCredentials,
  },
  api_key_disabled: {
    statuses: ['PERMISSION_DENIED'],
    meaning: 'The API key is disabled.',
    next: '`workspace/apikey/enable` enables it.',
    of: ({ credentials }) => credentials === 'apiKey',
  },
  scope_missing: {
    statuses: ['PERMISSION_DENIED'],
    meaning: 'The auth token does not have the scope that the operation needs; the message names it.',
    next: 'Use a token with that scope; `workspace/authtoken/create` makes one.',
    of: ({ credentials }) => credentials === 'apiKey',
  },
  idempotency_key_invalid: {
    statuses: ['INVALID_ARGUMENT'],
    meaning: 'On calls that write: the `Idempotency-Key` is empty, too long or not printable ASCII.',
    next: 'Send 1 to 255 printable ASCII characters, such as a UUID.',
    of: takesIdempotencyKey,
  },
  idempotency_key_in_use: {
    statuses: ['ABORTED'],
    meaning: 'The first call with this `Idempotency-Key` is still under way.',
    next: 'Wait a moment and repeat the call with the same key: it gets the answer of the first.',
    of: takesIdempotencyKey,
  },
  idempotency_key_reused: {
    statuses: ['INVALID_ARGUMENT'],
    meaning: 'The `Idempotency-Key` was used for another operation or body.',
    next: 'Take a new key for each change, and the same one only to repeat it.',
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
    next: 'Leave the call out, or do what the message says; [coverage](coverage.md) has all such paths.',
    of: () => false,
  },
  metrics_closed: {
    statuses: ['PERMISSION_DENIED'],
    meaning: '`/metrics` is asked by somebody who may not read it: the operator has set no `METRICS_TOKEN`.',
    next: 'Set `METRICS_TOKEN`.',
    of: () => false,
  },
  metrics_token_wrong: {
    statuses: ['UNAUTHENTICATED'],
    meaning: '`/metrics` is asked without the `METRICS_TOKEN` of the operator, or with another.',
    next: 'Send it as `Authorization: Bearer`.',
    of: () => false,
  },
  path_unknown: {
    statuses: ['NOT_FOUND'],
    meaning: 'There is no such path, or it is called with another method.',
    next: 'Call a path of [operations](operations.md), with POST.',
    of: () => false,
  },
  rate_limited: {
    statuses: ['RESOURCE_EXHAUSTED'],
    meaning: 'Too many requests.',
    next: 'Wait for as long as `Retry-After` says.',
    of: ({ credentials }) => credentials !== 'workspace',
  },
  queue_full: {
    statuses: ['RESOURCE_EXHAUSTED'],
    meaning: 'The process has too much waiting for the database.',
    next: 'Try again after a pause that grows; if it lasts, the database is too slow for what is asked of it.',
  },
  lost_a_race: {
    statuses: ['ABORTED'],
    meaning: 'Another change got in the way.',
    next: 'Try again: nothing was done.',
  },
  took_too_long: {
    statuses: ['DEADLINE_EXCEEDED'],
    meaning: 'A statement or a lock took longer than allowed.',
    next: 'Try again after a pause, with the same `Idempotency-Key` if it changes something; if it lasts, ask for less at once.',
  },
  database_unavailable: {
    statuses: ['UNAVAILABLE'],
    meaning: 'The database cannot be reached.',
    next: 'Try again after a pause that grows, with the same `Idempotency-Key` if it changes something; `/readyz` says when it is back.',
  },
  internal: {
    statuses: ['INTERNAL'],
    meaning: 'A fault of the server; the log has it under the `requestId`.',
    next: 'Look into the log of the server, and report the fault.',
  },
}

/** Reasons that operations of the contract declare. */
export const OPERATION_REASONS: Readonly<Record<string, Reason>> = {
  advanced_webhooks_disabled: {
    statuses: ['FAILED_PRECONDITION'],
    meaning: 'Signed webhooks are switched off.',
    next: 'Call `workspace/advancedwebhookconfig/update` with `isEnabled: true`.',
  },
  api_key_does_not_exist: {
    statuses: ['NOT_FOUND'],
    meaning: 'The workspace has no such API key.',
    next: '`workspace/apikeys/get` lists those that there are.',
  },
  api_key_name_wrong: {
    statuses: ['INVALID_ARGUMENT'],
    meaning: 'The name typed back is not the name of the API key: nothing was deleted.',
    next: 'Type the name as `workspace/apikeys/get` has it.',
  },
  auth_token_does_not_exist: {
    statuses: ['NOT_FOUND'],
    meaning: 'The API key has no auth token with this id.',
    next: '`workspace/authtokens/get` lists those that are valid.',
  },
  document_does_not_exist: {
    statuses: ['NOT_FOUND'],
    meaning: 'The organization has no such document.',
    next: 'Add it with `organizations/documents/add`, or look at its id and organization.',
  },
  document_was_migrated: {
    statuses: ['INVALID_ARGUMENT'],
    meaning: 'The document has another id now: `migratedTo` in `details`.',
    next: 'Use the new id from now on; adding the old one anew makes another document.',
  },
  email_domain_refused: {
    statuses: ['INVALID_ARGUMENT'],
    meaning: 'The address belongs to a disposable e-mail service.',
    next: 'Take a lasting address.',
  },
  field_not_implemented: {
    statuses: ['UNIMPLEMENTED'],
    meaning: 'The field belongs to a feature that Commonhold does not have.',
    next: 'Leave the field out, or let the operator set `STRICT_FIELDS=false`, which ignores it.',
  },
  folder_does_not_exist: {
    statuses: ['NOT_FOUND'],
    meaning: 'The organization has no such folder.',
    next: 'Add it with `organizations/folders/add`, or look at its id and organization.',
  },
  mail_server_missing: {
    statuses: ['FAILED_PRECONDITION'],
    meaning: 'Mails of the API key go through the mail server of the installation, and it has none.',
    next: 'The operator sets `SMTP_URL`, or the API key sends through a provider (`workspace/emailconfig/update`).',
  },
  migration_does_not_exist: {
    statuses: ['NOT_FOUND'],
    meaning: 'The organization has no such migration.',
    next: '`organizations/documents/migrations/list` lists those that there are.',
  },
  organization_does_not_exist: {
    statuses: ['NOT_FOUND'],
    meaning: 'The API key has no such organization.',
    next: 'Add it with `organizations/add`, or say `createOrganization: true` where the call takes it.',
  },
  other_user: {
    statuses: ['PERMISSION_DENIED'],
    meaning: 'A user token asked about another user than its own.',
    next: 'Ask with an auth token, on a server of yours.',
  },
  resource_does_not_exist: {
    statuses: ['INVALID_ARGUMENT', 'NOT_FOUND'],
    meaning:
      'A resource is not there: INVALID_ARGUMENT from calls that grant with a key that has `requireKnownResources`, and from `permissions.simulate`, NOT_FOUND from `permissions.get`.',
    next: 'Add it first; `details` says which. `permissions.get` answers in spite of it with `skipResourceExistenceValidation`.',
    of: (operation, status) =>
      (status === 'INVALID_ARGUMENT') === (writes(operation) || operation.name === 'permissions.simulate'),
  },
  signup_closed: {
    statuses: ['PERMISSION_DENIED'],
    meaning: 'The operator has closed sign-up (`SIGNUP`).',
    next: 'The operator sets `SIGNUP`, or makes the workspace for you.',
  },
  signup_token_wrong: {
    statuses: ['PERMISSION_DENIED'],
    meaning: 'Sign-up needs the token of the operator.',
    next: 'Send it as `x-service-signup-token`.',
  },
  too_many_auth_tokens: {
    statuses: ['RESOURCE_EXHAUSTED'],
    meaning: 'The API key has as many valid auth tokens as it can.',
    next: 'Revoke one that is not used; trying again does not help.',
  },
  too_many_domains: {
    statuses: ['RESOURCE_EXHAUSTED'],
    meaning: 'The API key would have more allowed domains than it can; none was added.',
    next: 'Delete some, or use a wildcard such as `*.example.com`.',
  },
  too_many_folders: {
    statuses: ['RESOURCE_EXHAUSTED'],
    meaning: 'A tree would have more folders than fit in one answer.',
    next: 'Ask with a smaller `maxDepth`, or list them page by page without `folderId`.',
  },
  too_many_pairs: {
    statuses: ['RESOURCE_EXHAUSTED'],
    meaning: 'The changes touch more pairs of a user and a resource than one simulation looks at.',
    next: 'Simulate fewer changes at once.',
  },
  too_many_production_keys: {
    statuses: ['RESOURCE_EXHAUSTED'],
    meaning: '`PRODUCTION_KEYS_PER_WORKSPACE` is reached.',
    next: 'Delete one that is not used, or ask the operator.',
  },
  too_many_signing_keys: {
    statuses: ['RESOURCE_EXHAUSTED'],
    meaning: 'The API key has as many live signing keys as it can.',
    next: 'Rotate with a shorter `gracePeriodSeconds`; 0 always works, and ends all tokens of before.',
  },
  too_many_webhook_endpoints: {
    statuses: ['RESOURCE_EXHAUSTED'],
    meaning: 'The API key has as many webhook endpoints as it can.',
    next: 'Delete one that is not used.',
  },
  too_many_webhook_messages: {
    statuses: ['RESOURCE_EXHAUSTED'],
    meaning: 'More messages would be sent again than one call does; nothing was.',
    next: 'Replay less at once: give `until`, and go on from there.',
  },
  too_many_workspaces: {
    statuses: ['RESOURCE_EXHAUSTED'],
    meaning: 'The e-mail address owns as many workspaces as it can.',
    next: 'Use one of them: a workspace can have many API keys.',
  },
  user_group_does_not_exist: {
    statuses: ['NOT_FOUND'],
    meaning: 'The organization has no such user group.',
    next: 'Add it with `organizations/usergroups/add`, or look at its id.',
  },
  webhook_endpoint_disabled: {
    statuses: ['FAILED_PRECONDITION'],
    meaning: 'The webhook endpoint is disabled: nothing is sent to it.',
    next: 'Enable it with `endpoints/update` and `disabled: false`.',
  },
  webhook_endpoint_does_not_exist: {
    statuses: ['NOT_FOUND'],
    meaning: 'The API key has no such webhook endpoint.',
    next: '`workspace/advancedwebhook/endpoints/get` lists those that there are.',
  },
  webhook_endpoint_uid_taken: {
    statuses: ['ALREADY_EXISTS'],
    meaning: 'Another webhook endpoint of the API key has this `uid`.',
    next: 'Take another `uid`, or update the endpoint that has it.',
  },
  webhook_message_does_not_exist: {
    statuses: ['NOT_FOUND'],
    meaning: 'The API key has no such webhook message, or its event is no longer kept.',
    next: '`workspace/webhooks/attempts/list` names messages; `EVENT_RETENTION_DAYS` says how long events are kept.',
  },
  user_data_deletion_does_not_exist: {
    statuses: ['NOT_FOUND'],
    meaning: 'The API key has no such job.',
    next: 'Use the `jobId` that `users/data/delete` answered, with the same API key.',
  },
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
