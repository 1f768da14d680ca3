/** Generates the pages of `docs/reference/` from the settings, the contract and its limits. */
import { AUTHZEN_PATHS, EVALUATION_EXAMPLE, EVALUATIONS_EXAMPLE } from '#contract/access/authzen.ts'
import { type Operation, pathsOf, takesIdempotencyKey } from '#contract/core/operation.ts'
import { STATUS } from '#contract/core/status.ts'
import { EVENT_TYPES } from '#contract/events/event-types.ts'
import type { EventMeaning } from '#contract/events/key-event-types.ts'
import { FAMILIES_NOT_OFFERED } from '#contract/not-offered.ts'
import { OPERATIONS } from '#contract/operations.ts'
import type { Reason } from '#contract/reasons/common-reasons.ts'
import { COMMON_REASONS, OPERATION_REASONS } from '#contract/reasons/reasons.ts'
import responses from '#contract/responses.json' with { type: 'json' }
import { EXIT_CODES } from '../../cli/exit-codes.ts'
import type { Setting } from '../../server/setting-values.ts'
import { SETTINGS } from '../../server/settings.ts'
import { absentValuesPage } from './absent-values-page.ts'
import { accessDecisions } from './access-decisions.ts'
import { commandPages } from './command-pages.ts'
import { limitsPage } from './limits-page.ts'
import { code, page, table } from './markdown.ts'
import { rolesPage } from './roles-page.ts'

export const REFERENCE_PAGES: Readonly<Record<string, () => string>> = {
  'absent-fields.md': absentValuesPage,
  'access-decisions.md': accessDecisions,
  'commands.md': commandPages,
  'configuration.md': configuration,
  'coverage.md': coverage,
  'errors.md': errors,
  'exit-codes.md': exitCodes,
  'events.md': events,
  'limits.md': limitsPage,
  'operations.md': operations,
  'roles.md': rolesPage,
}

function configuration(): string {
  const rows = Object.entries<Setting<unknown>>(SETTINGS).map(([name, { default: fallback, description }]) => [
    code(name),
    fallback === null ? '' : code(fallback),
    description,
  ])
  return page(
    'Configuration',
    'Every setting is an environment variable. The server also reads a file `.env` in its working directory; variables of the environment override it. An empty variable counts as absent. With an invalid value the server does not start, and prints which one.',
    table(['variable', 'default', 'meaning'], rows),
  )
}

function exitCodes(): string {
  const rows = Object.values(EXIT_CODES).map(({ code: number, meaning }) => [code(String(number)), meaning])
  return page(
    'Exit codes',
    'The exit codes of `commonhold` are stable, so scripts can rely on them. With `--json` the error on standard error has the same number as `exitCode`. Every code but 0 means that the answer is not yes: `commonhold check … && deploy` deploys only if the server allowed it.',
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
    'A failed call returns `{ "error": { "message", "status", "reason", "details"?, "requestId" } }`. `status` and `reason` are for programs and stable; `message` is for people and may change. Faults of single items of a batch are not errors of the call; they are part of its result, see [operations](operations.md).',
    '## Status values',
    table(
      ['status', 'HTTP', 'retryable'],
      Object.entries(STATUS).map(([status, { http, retryable }]) => [
        code(status),
        String(http),
        retryable ? 'yes' : 'no',
      ]),
    ),
    'Retry with growing delays; the [client](../guides/use-the-client.md) does it for you. A retry does not help with the reasons `too_many_…`, which are limits on how many there may be. After UNAVAILABLE, DEADLINE_EXCEEDED or no response, a change may or may not have been made: repeat the call with the same `Idempotency-Key`.',
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
    'Every change writes its event in its own transaction. A call that changes nothing writes none, and deleting something with everything in it writes one event with counts. [events.list](operations.md#eventslist) lists the events of an API key, [account-events.list](operations.md#account-eventslist) those of a workspace and its API keys. An event names its actor, its subject (`organizationId`, `resource`, `groupId`, `userId`), and the values `before` and `after`. No event contains a secret.',
    table(['type', 'meaning', '`before`', '`after`'], rows),
    '`organization.*` events are about `organizationId` and have no `resource`. Erased users appear in events under pseudonyms, and the values about them are removed.',
  )
}

/** Returns the anchor of a heading with the name of an operation. */
const anchor = (name: string): string => name.replaceAll('.', '')

const CREDENTIALS = {
  none: 'none',
  workspace: '`x-service-workspace-id`, `x-service-auth-token`',
  apiKey: '`x-service-api-key`, `x-service-auth-token`',
} as const

const bodyOf = (path: string, body: object): string => `\`\`\`\nPOST ${path}\n${JSON.stringify(body, null, 2)}\n\`\`\``

/** The groups of operations that the page begins with. */
const ACCESS_GROUPS = ['permissions', 'permitted-resources', 'permitted-users', 'grants']
const isOfAccess = ({ name }: Operation): boolean => ACCESS_GROUPS.includes(name.split('.')[0] ?? '')

/** Returns what the server answers to the example of an operation; it is shown for those that the page begins with. */
const answerOf = (operation: Operation): string => {
  const answer: object | undefined = (responses as Record<string, object>)[operation.name]
  return answer === undefined || !isOfAccess(operation)
    ? ''
    : `\n\n\`\`\`json\n${JSON.stringify(answer, null, 2)}\n\`\`\``
}

const ACCESS_IN_WORDS = `## Access, in words

A **grant** gives a user or a user group the role \`viewer\` or \`editor\` on an organization, a folder or a document, indefinitely or until \`expiresAt\`. A grant on an organization or a folder gives access to what is inside, up to the first resource with an access type of its own: what is inside a \`restricted\` folder needs a grant on the folder or below it. What is \`public\` is open to every user of the API key, also without a grant. [Access decisions](access-decisions.md) has every case.

[permissions.add](#permissionsadd) gives access and [permissions.remove](#permissionsremove) revokes it. [permissions.check](#permissionscheck) says whether a user has access, [permissions.explain](#permissionsexplain) why, and [permissions.simulate](#permissionssimulate) what a change would do. [permitted-users.list](#permitted-userslist) says who has access to a resource, and [permitted-resources.list](#permitted-resourceslist) to what a user has access. [A guide](../guides/ask-about-access.md) asks all of them.`

function operations(): string {
  const ordered = [...OPERATIONS.filter(isOfAccess), ...OPERATIONS.filter((operation) => !isOfAccess(operation))]
  const sections = ordered.map((operation) => {
    const { name, path, summary, description, example } = operation
    return `## ${name}\n\n**${summary}.** ${description}\n\n${bodyOf(path, { data: example })}${answerOf(operation)}`
  })
  return page(
    'Operations',
    'Every operation is a `POST` with the body `{ "data": { … } }` and returns `{ "result": { "status": "success", "message", "data"?, "nextPageToken"? } }` or an [error](errors.md). A call on several items returns an outcome for each under its id, in `data`: `{ success, id, message, code?, retryable? }`. The word `service` in the header names is the setting `HEADER_PREFIX`. A running server documents every field at `/reference`, and as OpenAPI 3.1 at `/openapi.json`.',
    ACCESS_IN_WORDS,
    '## All operations',
    table(
      ['operation', 'path', 'credentials', 'scope', '`Idempotency-Key`', 'summary'],
      ordered.map((operation) => [
        `[${operation.name}](#${anchor(operation.name)})`,
        pathsOf(operation).map(code).join(', '),
        CREDENTIALS[operation.credentials] +
          (operation.userToken ? ', or a user token as `Authorization: Bearer`' : ''),
        operation.scope === undefined ? '' : code(operation.scope),
        takesIdempotencyKey(operation) ? 'yes' : 'no',
        operation.summary,
      ]),
    ),
    'These paths are read with `GET` and without credentials: `/v2/auth/jwks/{apiKey}` returns the public keys that verify user tokens (RFC 7517); `/healthz`, `/readyz` and `/version` are for operators.',
    'Calls that accept an `Idempotency-Key` are safe to repeat with the same key: for 24 hours a repeat returns the result of the first. Paths that return `UNIMPLEMENTED` are listed in [coverage](coverage.md).',
    ...sections,
    '## AuthZEN',
    'The AuthZEN Authorization API 1.0, with its own bodies and errors: `POST ' +
      AUTHZEN_PATHS.evaluation +
      '` and `POST ' +
      AUTHZEN_PATHS.evaluations +
      '`, with the headers `x-service-api-key` and `x-service-auth-token` (scope `read`); `GET ' +
      AUTHZEN_PATHS.configuration +
      '` returns their addresses. The decisions are those of [permissions.check](#permissionscheck); [a guide](../guides/authzen.md) shows them.',
    bodyOf(AUTHZEN_PATHS.evaluation, EVALUATION_EXAMPLE),
    bodyOf(AUTHZEN_PATHS.evaluations, EVALUATIONS_EXAMPLE),
  )
}

/** The page of supported paths, for users of a client that was written for another service. */
function coverage(): string {
  const offered = OPERATIONS.flatMap((operation) =>
    pathsOf(operation).map((path) => [
      code(path),
      'available',
      `[${operation.name}](operations.md#${anchor(operation.name)})`,
    ]),
  )
  const families = Object.entries(FAMILIES_NOT_OFFERED).map(([family, { why, calls }]) => [
    code(`${family}/*`),
    'not offered',
    `${calls === undefined ? '' : `${calls} documented calls. `}${why}`,
  ])
  return page(
    'Coverage',
    'The paths that a client of a hosted service may call, and their status here. A path under one that is not offered returns `UNIMPLEMENTED` (501) with the reason `operation_not_implemented` and the message in this table; every other path returns `NOT_FOUND`.',
    table(
      ['path', 'status', 'operation, or reason'],
      [...offered, ...families].sort(([one = ''], [other = '']) => (one < other ? -1 : 1)),
    ),
  )
}
