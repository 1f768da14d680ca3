/** The pages of `docs/reference/`, made from the settings, the contract and its limits. */
import { AUTHZEN_PATHS, EVALUATION_EXAMPLE, EVALUATIONS_EXAMPLE } from '#contract/authzen.ts'
import type { EventMeaning } from '#contract/event-meaning.ts'
import { EVENT_TYPES } from '#contract/event-types.ts'
import { LIMITS } from '#contract/limits.ts'
import { NOT_OFFERED } from '#contract/not-offered.ts'
import { takesIdempotencyKey } from '#contract/operation.ts'
import { OPERATIONS } from '#contract/operations.ts'
import type { Reason } from '#contract/reason.ts'
import { COMMON_REASONS, OPERATION_REASONS } from '#contract/reasons.ts'
import { STATUS } from '#contract/status.ts'
import { EXIT_CODES } from '../cli/exit-codes.ts'
import { SETTINGS, type Setting } from '../server/config.ts'
import { accessDecisions } from './access-decisions.ts'
import { commandPages } from './command-pages.ts'
import { code, page, table } from './markdown.ts'

export const REFERENCE_PAGES: Readonly<Record<string, () => string>> = {
  'access-decisions.md': accessDecisions,
  'commands.md': commandPages,
  'configuration.md': configuration,
  'coverage.md': coverage,
  'errors.md': errors,
  'exit-codes.md': exitCodes,
  'events.md': events,
  'limits.md': limits,
  'operations.md': operations,
}

function configuration(): string {
  const rows = Object.entries<Setting<unknown>>(SETTINGS).map(([name, { default: fallback, description }]) => [
    code(name),
    fallback === null ? '' : code(fallback),
    description,
  ])
  return page(
    'Configuration',
    'Every setting is an environment variable; a file `.env` in the folder the server is started from is read too, and a variable that is set already wins over it. An empty variable counts as absent. A value that makes no sense stops the start with one sentence.',
    table(['variable', 'default', 'meaning'], rows),
  )
}

function exitCodes(): string {
  const rows = Object.values(EXIT_CODES).map(({ code: number, meaning }) => [code(String(number)), meaning])
  return page(
    'Exit codes',
    'What `commonhold` ends with. They are stable: scripts can rely on them. With `--json` the same number stands in the error on standard error, as `exitCode`. Whatever is not 0 is no yes: `commonhold check … && deploy` deploys only if the server said yes.',
    table(['code', 'meaning'], rows),
  )
}

function errors(): string {
  const reasonRows = (reasons: Readonly<Record<string, Reason>>) =>
    Object.entries(reasons).map(([reason, { statuses, meaning, next }]) => [
      code(reason),
      statuses.map(code).join(', '),
      meaning,
      next,
    ])
  const reasonHead = ['reason', 'status', 'meaning', 'what to do next']
  return page(
    'Errors',
    'A failed call answers `{ "error": { "message", "status", "reason", "details"?, "requestId" } }`. `status` and `reason` are for programs and stable; `message` is for people and may change. Faults of single items of a batch are not errors of the call: they stand in its result, see [operations](operations.md).',
    '## Status values',
    table(
      ['status', 'HTTP', 'worth trying again'],
      Object.entries(STATUS).map(([status, { http, retryable }]) => [
        code(status),
        String(http),
        retryable ? 'yes' : 'no',
      ]),
    ),
    'Trying again helps after a pause, and in the end: the [client](../guides/use-the-client.md) does it by itself. It does not help with the reasons `too_many_…`, which are bounds of what there may be. Whether a change was made when the answer was UNAVAILABLE or DEADLINE_EXCEEDED, or did not come, is known by repeating it with its `Idempotency-Key`.',
    '## Reasons of every operation',
    table(reasonHead, reasonRows(COMMON_REASONS)),
    '## Reasons of single operations',
    table(reasonHead, reasonRows(OPERATION_REASONS)),
    '## Reasons by operation',
    table(
      ['operation', 'reasons beyond those of every operation'],
      OPERATIONS.map(({ name, reasons = [] }) => [code(name), reasons.map(code).join(', ') || 'none']),
    ),
  )
}

function events(): string {
  const rows = Object.entries<EventMeaning>(EVENT_TYPES).map(([type, { summary, before = '', after = '' }]) => [
    code(type),
    summary,
    before,
    after,
  ])
  return page(
    'Events',
    'Every change writes its event in the transaction that makes it; a change that changes nothing writes none, and deleting something with everything in it is one event with counts. [events.list](operations.md#eventslist) lists the events of an API key, [account-events.list](operations.md#account-eventslist) those of a workspace and its API keys. An event names its actor, what it is about (`organizationId`, `resource`, `groupId`, `userId`), and what was there `before` and is there `after`. No event holds a secret.',
    table(['type', 'what has happened', '`before`', '`after`'], rows),
    '`organization.*` events are about `organizationId` and have no `resource`. Users who were erased stay in events under pseudonyms, and what events said of them is emptied.',
  )
}

/** What each bound bounds; the compiler asks for one line for each. */
const LIMIT_MEANINGS: Readonly<Record<keyof typeof LIMITS, string>> = {
  itemsPerCallMax: 'items in one call: organizations, documents, users, resources, ids to get',
  permissionCellsMax: 'users × resources of one `permissions.get`, the organization counted as one resource',
  simulatedPairsMax: 'pairs of a user and a resource that one `auth/permissions/simulate` compares',
  bodyBytesMax: 'bytes of a request body; the default of `BODY_BYTES_MAX`',
  publicBodyBytesMax: 'bytes of the body of a call without credentials',
  idCharactersMax: 'characters of an id given by the caller',
  nameCharactersMax: 'characters of a name',
  workspaceNameCharactersMax: "characters of a workspace's name and its owner's",
  emailCharactersMin: 'characters of an e-mail address, at least',
  emailCharactersMax: 'characters of an e-mail address',
  urlCharactersMax: 'characters of a URL',
  secretCharactersMax: 'characters of a secret that is stored for another service',
  tokenCharactersMax: 'characters of an API key in a body',
  pageTokenCharactersMax: 'characters of a `pageToken`',
  metadataBytesMax: 'bytes of the metadata of one object, as JSON',
  metadataKeysMax: 'metadata fields of one object',
  metadataDepthMax: 'levels that metadata nests',
  pageSizeMax: 'items on a page, and the default',
  eventsExaminedPerPageMax:
    'events that one page of `events.list` scans; a page that ends short for this has a `nextPageToken`',
  momentMillisecondsMax: 'the largest time in milliseconds: the end of the year 9999',
  resourcesExaminedPerPageMax: 'resources that one page of `auth/permissions/grants/list` scans before it ends short',
  usersExaminedPerPageMax:
    'users that one page of `users.get` scans; a page that ends short for this has a `nextPageToken`',
  keysPageSizeMax: 'API keys on a page, and the default',
  userDataPageSize: 'grants, user groups and events on a page of `user-data.get`, each',
  folderDepthMax: 'levels that folders nest',
  foldersPerTreeMax: 'folders in one answer of `folders.get` with `folderId`',
  ancestorsPerTreeMax: 'entries in the `ancestors` of all folders of such an answer together',
  documentFiltersMax: 'filters of one call on documents',
  filterValuesMax: 'values that one document filter compares with',
  domainsMax: 'allowed domains of an API key',
  domainCharactersMax: 'characters of a domain as the caller writes it',
  authTokensPerKeyMax: 'valid auth tokens of an API key; `authtoken/reset` always makes one more',
  expiringSoonSecondsMax: 'seconds before its end that a grant gets its event',
  userTokenLifetimeSecondsMin: 'seconds that a user token identifies, at least',
  userTokenLifetimeSecondsMax: 'seconds that a user token identifies',
  userTokenCharactersMax: 'characters of a user token in a body',
  signingKeysPerKeyMax: 'live signing keys of an API key: the one that signs, and those that still verify',
  webhookEndpointsPerKeyMax: 'signed webhook endpoints of an API key',
  webhookEndpointsPageSizeMax: 'signed webhook endpoints on a page, and the default',
  webhookRateLimitMax: 'messages a second that the `rateLimit` of a webhook endpoint can allow',
  filterTypesMax: 'types of events that a webhook endpoint filters by',
  eventTypeCharactersMax: 'characters of such a type',
  channelsMax: 'channels of a webhook endpoint',
  replayedMessagesMax: 'messages that one `webhook-messages.replay` sends again',
  gracePeriodSecondsMax: 'seconds that the secret of a webhook goes on signing beside its successor',
  workspacesPerEmailMax: 'workspaces that one e-mail address can own',
  idempotencyKeyCharactersMax: 'characters of an `Idempotency-Key`',
  expiresAtSecondsMax: 'the largest `expiresAt`: it is in seconds, and a larger value is taken for milliseconds',
  faultsMax: 'faults listed in `error.details` of one refused body',
}

/** Bounds that the operator sets. */
const LIMIT_SETTINGS = [
  'BODY_BYTES_MAX',
  'RATE_LIMIT_PER_KEY',
  'RATE_LIMIT_PUBLIC',
  'PRODUCTION_KEYS_PER_WORKSPACE',
  'STATEMENT_TIMEOUT_MS',
  'DATABASE_CONNECTIONS',
  'EVENT_RETENTION_DAYS',
  'EXPIRED_GRANTS_KEPT_DAYS',
  'WEBHOOK_ATTEMPTS_KEPT_DAYS',
] as const satisfies (keyof typeof SETTINGS)[]

function limits(): string {
  const rows = Object.entries(LIMIT_MEANINGS).map(([name, meaning]) => [
    code(name),
    LIMITS[name as keyof typeof LIMITS].toLocaleString('en'),
    meaning,
  ])
  return page(
    'Limits',
    'Bounds of the API. A request beyond one is refused with `INVALID_ARGUMENT` and a message that names the bound, or, where it is a number of things that there may be, with `RESOURCE_EXHAUSTED` and a [reason](errors.md#reasons-of-single-operations) `too_many_…`; nothing is cut short in silence. Pages that look at so many things and no more end short, with a `nextPageToken`.',
    table(['limit', 'value', 'of what'], rows),
    '## What the operator sets',
    'Settings of the server, see [configuration](configuration.md).',
    table(
      ['setting', 'default', 'of what'],
      LIMIT_SETTINGS.map((name) => [code(name), code(SETTINGS[name].default ?? ''), SETTINGS[name].description]),
    ),
  )
}

/** Of a heading with the name of an operation. */
const anchor = (name: string): string => name.replaceAll('.', '')

const CREDENTIALS = {
  none: 'none',
  workspace: '`x-service-workspace-id`, `x-service-auth-token`',
  apiKey: '`x-service-api-key`, `x-service-auth-token`',
} as const

const bodyOf = (path: string, body: object): string => `\`\`\`\nPOST ${path}\n${JSON.stringify(body, null, 2)}\n\`\`\``

function operations(): string {
  const sections = OPERATIONS.map(
    ({ name, path, summary, description, example }) =>
      `## ${name}\n\n**${summary}.** ${description}\n\n${bodyOf(path, { data: example })}`,
  )
  return page(
    'Operations',
    'Every operation is a `POST` with the body `{ "data": { … } }` and answers `{ "result": { "status": "success", "message", "data"?, "nextPageToken"? } }` or an [error](errors.md). A call on several items answers for each under its id, in `data`: `{ success, id, message, code?, retryable? }`. The word `service` in the header names is the setting `HEADER_PREFIX`. A running server shows the same with every field at `/reference`, and as OpenAPI 3.1 at `/openapi.json`.',
    table(
      ['operation', 'path', 'credentials', 'scope', '`Idempotency-Key`', 'what it does'],
      OPERATIONS.map((operation) => [
        `[${operation.name}](#${anchor(operation.name)})`,
        code(operation.path),
        CREDENTIALS[operation.credentials] +
          (operation.userToken ? ', or a user token as `Authorization: Bearer`' : ''),
        operation.scope === undefined ? '' : code(operation.scope),
        takesIdempotencyKey(operation) ? 'yes' : 'no',
        operation.summary,
      ]),
    ),
    'Read with `GET` and without credentials: `/v2/auth/jwks/{apiKey}` answers the public keys that verify user tokens (RFC 7517); `/healthz`, `/readyz` and `/version` are for operators.',
    'Calls that take an `Idempotency-Key` are safe to repeat with the same key: for 24 hours a repeat gets the answer of the first. Paths that answer `UNIMPLEMENTED` are in [coverage](coverage.md).',
    ...sections,
    '## AuthZEN',
    'The AuthZEN Authorization API 1.0, in its own bodies and errors: `POST ' +
      AUTHZEN_PATHS.evaluation +
      '` and `POST ' +
      AUTHZEN_PATHS.evaluations +
      '`, with the headers `x-service-api-key` and `x-service-auth-token` (scope `read`); `GET ' +
      AUTHZEN_PATHS.configuration +
      '` says where they are. The decisions are those of [permissions.check](#permissionscheck); [a guide](../guides/authzen.md) shows them.',
    bodyOf(AUTHZEN_PATHS.evaluation, EVALUATION_EXAMPLE),
    bodyOf(AUTHZEN_PATHS.evaluations, EVALUATIONS_EXAMPLE),
  )
}

/** Which paths there are, for those who come with a client of another service. */
function coverage(): string {
  const offered = OPERATIONS.map(({ name, path }) => [
    code(path),
    'available',
    `[${name}](operations.md#${anchor(name)})`,
  ])
  const others = Object.entries(NOT_OFFERED).map(([path, why]) => [code(path), 'not offered', why])
  return page(
    'Coverage',
    'The paths that a client written against a hosted service of this kind may call, and what they answer here. A path that is not offered answers `UNIMPLEMENTED` (501) with the reason `operation_not_implemented` and the sentence of this table; every other path answers `NOT_FOUND`.',
    table(
      ['path', 'status', 'operation, or why not'],
      [...offered, ...others].sort(([one = ''], [other = '']) => (one < other ? -1 : 1)),
    ),
  )
}
