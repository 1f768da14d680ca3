/** Commands for single decisions, `check` and `explain`, and the columns of decisions in tables. */

import { checkPermissions } from '#contract/access/decisions.ts'
import { type AffectedPeople, explainPermissions, type NearGrant } from '#contract/access/explanations.ts'
import { affectedInWords } from '#sdk/shared/affected-people.ts'
import type { OperationCommand } from '../../operation-command.ts'
import { lines } from '../../terminal/output.ts'
import { column, type Format, resource, seconds, tableLines } from '../../terminal/table.ts'
import { coloured, plain } from '../../terminal/terminal.ts'
import { OF_RESOURCE, RESOURCE } from '../parameters.ts'

/** The resource that gives access, and the group if its grant does. */
const via: Format = (value) => {
  if (isDefault(value)) return 'by default'
  const { group } = (value ?? {}) as { group?: string }
  return group === undefined ? resource(value) : `${resource(value)} by ${plain(`group:${group}`)}`
}

const isDefault = (value: unknown): boolean => (value as { type?: string } | undefined)?.type === 'keyDefault'

const placeOf = (given: object): string => (isDefault(given) ? via(given) : `on ${via(given)}`)

export const DECISION_COLUMNS = [
  column('ROLE', 'accessRole'),
  column('REASON'),
  column('VIA', 'via', via),
  column('EXPIRES', 'expiresAt', seconds),
]

interface CheckResult {
  checks: readonly {
    allowed: boolean
    accessRole?: string
    accessType?: string
    reason: string
    via?: object
    expiresAt?: number
  }[]
}

/** Reasons that say what to correct. */
const IN_WORDS: Readonly<Record<string, string>> = {
  does_not_exist: 'does_not_exist: nothing with this id was added, and nothing was granted on it',
}

const checkLines = lines(({ checks }: CheckResult) =>
  checks.map(({ allowed, accessRole = '', accessType, reason, via: given, expiresAt }) => {
    const open =
      accessType === 'public' ? `  ${coloured('yellow', 'public: every user of the API key has access')}` : ''
    const because = given === undefined ? (IN_WORDS[reason] ?? reason) : `${reason} ${placeOf(given)}`
    const end = expiresAt === undefined ? '' : `, until ${seconds(expiresAt)}`
    return allowed
      ? `${coloured('green', `allowed as ${plain(accessRole)}`)}  ${because}${end}${open}`
      : `${coloured('red', 'denied')}  ${because}`
  }),
)

interface Explanation {
  decision: { allowed: boolean; accessRole?: string; reason: string; expiresAt?: number }
  afterwards?: { allowed: boolean; accessRole?: string }
  chain: readonly { grants: readonly object[] }[]
  rule: { number: number; condition: string; sentence: string }
  alternatives: readonly { sentence: string; people?: AffectedPeople }[]
  nearGrants?: readonly NearGrant[]
  thread?: { sentence: string }
}

/** The decision, the rule that decided, and the evaluation path. */
function nearGrantLine({ type, id, organizationId, groupId, near }: NearGrant): string {
  const holder = groupId === undefined ? 'The user' : `User group "${groupId}"`
  const [elsewhere, here] =
    organizationId === undefined ? ['', ''] : [` of organization "${organizationId}"`, ' of this one']
  const doubt = type === 'organization' ? 'has no name, folders or documents' : 'was never added'
  return plain(
    `${holder} has a grant on ${type} "${id}"${elsewhere}, which ${doubt}; was ${near.type} "${near.id}"${here} meant?`,
  )
}

const explanationLines = lines(
  ({ decision, afterwards, chain, rule, alternatives, nearGrants = [], thread }: Explanation) => [
    decision.allowed ? coloured('green', `allowed as ${plain(decision.accessRole ?? '')}`) : coloured('red', 'denied'),
    ...(afterwards === undefined
      ? []
      : [
          `until ${seconds(decision.expiresAt)}, then ${afterwards.allowed ? plain(afterwards.accessRole ?? '') : 'no access'}`,
        ]),
    plain(rule.sentence),
    coloured('dim', `Rule ${rule.number}: ${plain(rule.condition)}`),
    ...(thread === undefined ? [] : ['', plain(thread.sentence)]),
    ...nearGrants.map(nearGrantLine),
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
              column('SOURCE', 'grant.source'),
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
          ...alternatives.map(({ sentence, people }) => {
            const effect = people === undefined ? '' : ` ${affectedInWords(people, decision.allowed)}`
            return `- ${plain(sentence)}${effect}`
          }),
        ]),
  ],
)

export const DECISION_COMMANDS: readonly OperationCommand[] = [
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
    fixed: { countPeople: true },
    parameters: [
      { flags: '<user>', at: 'userId' },
      RESOURCE,
      OF_RESOURCE,
      { flags: '--thread <id>', at: 'annotationId' },
    ],
    show: explanationLines,
    examples: ['commonhold explain ada document:roadmap --org acme'],
  },
]
