/** Commands for grants and for access decisions. */
import { listPermittedResources, listPermittedUsers } from '#contract/access-lists.ts'
import { checkPermissions } from '#contract/decisions.ts'
import { explainPermissions } from '#contract/explanations.ts'
import type { ResultOf } from '#contract/operation.ts'
import { addPermissions, removePermissions } from '#contract/permissions.ts'
import type { OperationCommand, Parameter } from '../operation-command.ts'
import { done, lines, type Preface, table } from '../output.ts'
import { column, type Format, resource, seconds, tableLines } from '../table.ts'
import { coloured, plain } from '../terminal.ts'
import { endSeconds, resourceNamed } from '../values.ts'

export const RESOURCES: Parameter = {
  flags: '<resource...>',
  at: 'permissions.resources',
  help: 'organization:ID, folder:ID or document:ID.',
  read: resourceNamed,
}
const OF_EACH: Parameter = {
  flags: '-o, --org <organization>',
  at: 'permissions.resources[].organizationId',
  help: 'The organization of folders and documents.',
}
const RESOURCE: Parameter = { ...RESOURCES, flags: '<resource>', at: 'resource' }
const OF_RESOURCE: Parameter = { ...OF_EACH, at: 'resource.organizationId' }

/** The resource that gives access, and the group if its grant does. */
const via: Format = (value) => {
  const { group } = (value ?? {}) as { group?: string }
  return group === undefined ? resource(value) : `${resource(value)} by ${plain(`group:${group}`)}`
}

const DECISION_COLUMNS = [
  column('ROLE', 'accessRole'),
  column('REASON'),
  column('VIA', 'via', via),
  column('EXPIRES', 'expiresAt', seconds),
]

interface CheckResult {
  checks: readonly { allowed: boolean; accessRole?: string; reason: string; via?: object; expiresAt?: number }[]
}

const checkLines = lines(({ checks }: CheckResult) =>
  checks.map(({ allowed, accessRole = '', reason, via: given, expiresAt }) => {
    const because = [reason, ...(given === undefined ? [] : [`on ${via(given)}`])].join(' ')
    const end = expiresAt === undefined ? '' : `, until ${seconds(expiresAt)}`
    return allowed
      ? `${coloured('green', `allowed as ${plain(accessRole)}`)}  ${because}${end}`
      : `${coloured('red', 'denied')}  ${because}`
  }),
)

interface Explanation {
  decision: { allowed: boolean; accessRole?: string; reason: string; expiresAt?: number }
  afterwards?: { allowed: boolean; accessRole?: string }
  chain: readonly { grants: readonly object[] }[]
  rule: { number: number; condition: string; sentence: string }
  alternatives: readonly { sentence: string }[]
}

/** The decision, the rule that decided, and the evaluation path. */
const explanationLines = lines(({ decision, afterwards, chain, rule, alternatives }: Explanation) => [
  decision.allowed ? coloured('green', `allowed as ${plain(decision.accessRole ?? '')}`) : coloured('red', 'denied'),
  ...(afterwards === undefined
    ? []
    : [
        `until ${seconds(decision.expiresAt)}, then ${afterwards.allowed ? plain(afterwards.accessRole ?? '') : 'no access'}`,
      ]),
  plain(rule.sentence),
  coloured('dim', `Rule ${rule.number}: ${plain(rule.condition)}`),
  ...(chain.length === 0
    ? []
    : [
        '',
        ...tableLines(
          [
            column('RESOURCE', '', resource),
            column('ACCESS TYPE', 'accessType'),
            column('BOUNDARY', 'boundary', (value) => (value === true ? 'yes' : '')),
            column('GRANT', 'grant.accessRole'),
            column('GROUP', 'grant.groupId'),
            column('LIVE', 'grant.live'),
            column('REACHES', 'grant.reaches'),
            column('EXPIRES', 'grant.expiresAt', seconds),
          ],
          chain.flatMap(({ grants, ...entry }) =>
            grants.length === 0 ? [entry] : grants.map((grant) => ({ ...entry, grant })),
          ),
        ),
      ]),
  ...(alternatives.length === 0
    ? []
    : [
        '',
        `To ${decision.allowed ? 'end this access' : 'give access'}, one of:`,
        ...alternatives.map(({ sentence }) => `- ${plain(sentence)}`),
      ]),
])

/** The list names only users with a grant or a membership: of a public resource it would look like all who have access. */
const everyoneFirst = ({ everyone, everyoneRole }: ResultOf<typeof listPermittedUsers>): Preface | undefined =>
  everyone
    ? {
        sentence: coloured(
          'yellow',
          `Everyone has access as ${everyoneRole}, because the access type is public. The following users have the role of their grant or membership instead:`,
        ),
        json: { everyone: true, everyoneRole },
      }
    : undefined

export const ACCESS_COMMANDS: readonly OperationCommand[] = [
  {
    name: 'grant add',
    operation: addPermissions,
    parameters: [
      { flags: '<user>', at: 'user.userId' },
      RESOURCES,
      OF_EACH,
      { flags: '--role <role>', at: 'permissions.resources[].accessRole' },
      {
        flags: '--expires <when>',
        at: 'permissions.resources[].expiresAt',
        help: 'When the grant expires: 30d, or a time.',
        read: endSeconds,
      },
      {
        flags: '--replace',
        at: 'permissions.resources[].replaceExisting',
        help: 'Replace the standing and the temporary grant with this one.',
      },
    ],
    show: done,
    examples: [
      'commonhold grant add ada document:roadmap --org acme --role editor --expires 30d',
      'commonhold grant add ada document:roadmap --org acme --expires 30d --replace',
    ],
  },
  {
    name: 'grant remove',
    operation: removePermissions,
    parameters: [
      { flags: '<user>', at: 'userId' },
      RESOURCES,
      OF_EACH,
      {
        flags: '--temporary',
        at: 'permissions.resources[].temporaryOnly',
        help: 'Only the temporary grant; the standing one stays.',
      },
    ],
    show: done,
    examples: [
      'commonhold grant remove ada document:roadmap --org acme',
      'commonhold grant remove ada document:roadmap --org acme --temporary',
    ],
  },
  {
    name: 'access users',
    operation: listPermittedUsers,
    parameters: [RESOURCE, OF_RESOURCE, { flags: '--at-least <role>', at: 'atLeast' }],
    show: table([column('USER', 'userId'), ...DECISION_COLUMNS], 'users', everyoneFirst),
    examples: ['commonhold access users document:roadmap --org acme --at-least editor'],
  },
  {
    name: 'access resources',
    operation: listPermittedResources,
    parameters: [
      { flags: '<user>', at: 'userId' },
      { flags: '-o, --org <organization>', at: 'organizationId' },
      { flags: '--type <type...>', at: 'types', help: 'Only organizations, folders or documents.' },
      { flags: '--folder <folder>', at: 'folderId' },
      { flags: '--at-least <role>', at: 'atLeast' },
    ],
    show: table([column('RESOURCE', '', resource), ...DECISION_COLUMNS], 'resources'),
    examples: ['commonhold access resources ada --org acme --type document'],
  },
  {
    name: 'check',
    operation: checkPermissions,
    summary: 'Check whether a user has access: exit code 0 is yes, 1 is no',
    parameters: [
      { flags: '<user>', at: 'checks[0].userId', help: 'The user.' },
      { ...RESOURCE, at: 'checks[0].resource' },
      { ...OF_RESOURCE, at: 'checks[0].resource.organizationId' },
      { flags: '--at-least <role>', at: 'checks[0].atLeast', help: 'The required role.' },
    ],
    show: checkLines,
    isNegative: ({ checks }: CheckResult) => checks[0]?.allowed !== true,
    examples: [
      'commonhold check ada document:roadmap --org acme',
      'if commonhold check ada doc:roadmap --org acme --at-least editor; then …; fi',
    ],
  },
  {
    name: 'explain',
    operation: explainPermissions,
    summary: 'Explain why a user has access or not',
    parameters: [{ flags: '<user>', at: 'userId' }, RESOURCE, OF_RESOURCE],
    show: explanationLines,
    examples: ['commonhold explain ada document:roadmap --org acme'],
  },
]
