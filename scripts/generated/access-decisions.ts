/**
 * Writes the reference page of the access model with its decision table. The decisions are those of the reference
 * interpreter, which test/matrix compares with the server in each of these cases. Throws if cases in one cell differ.
 */
import { RULES } from '#contract/access/explanations.ts'
import type { AccessRole } from '#contract/access/permissions.ts'
import { NOW, OWN_ACCESS_TYPES, tableOf, type User, usersWith } from '../../test/matrix/cross-product.ts'
import { EXAMPLES } from '../../test/matrix/examples.ts'
import { chainOf, type Decision, decide, type Grant, type Resource } from '../../test/matrix/interpreter.ts'
import { ACCESS_TYPES, ALL_ROLES } from '../../test/matrix/worlds.ts'
import { code, page, table } from './markdown.ts'

const BELOW = ['outer folder', 'folder', 'document'] as const
const STATES = ['expired', ...ALL_ROLES] as const
const MEMBERSHIPS = ['none', ...STATES]

/** The names of levels, relative to the resource that is checked. */
const NAMES: Record<string, string> = {
  'outer folder': 'the folder above',
  folder: 'the folder',
  document: 'the document',
}

const stateOf = (grant: Grant | undefined) =>
  grant === undefined ? 'none' : grant.expiresAt === NOW ? 'expired' : grant.role

const rowOf = ({ below }: User, { type }: Resource) =>
  below === undefined || (type === 'folder' && below.level === 'document')
    ? 'none'
    : `${stateOf(below.grant)} on ${NAMES[below.level]}`

const rowsOf = (type: Resource['type']) => [
  'none',
  ...BELOW.filter((level) => type === 'document' || level !== 'document').flatMap((level) =>
    STATES.map((state) => `${state} on ${NAMES[level]}`),
  ),
]

function levelOf(asked: Resource, id: string | undefined): string {
  const at = chainOf(asked).find((resource) => resource.id === id)
  if (at?.type !== 'folder') return at?.type === 'document' ? 'the document' : 'the organization'
  return at.id === 'outer' ? 'the folder above' : 'the folder'
}

/** Puts decisions that differ only in the default role of the key into words. */
function words(asked: Resource, decisions: readonly [Decision, ...Decision[]]): string {
  const [{ allowed, reason, accessRole, via }] = decisions
  if (!allowed) return `denied: ${code(reason)}`
  const role = decisions.every((one) => one.accessRole === accessRole) ? accessRole : 'default role'
  return `**${role}** by ${reason === 'grant' ? `grant on ${levelOf(asked, via?.id)}` : reason.replace('_', ' ')}`
}

/** The decisions by heading, then by `row | column`. */
type Cells = Map<string, Map<string, string>>

function decisionTable() {
  const cells: Cells = new Map()
  let cases = 0
  let disabledCases = 0
  const record = (heading: string, cell: string, decision: string) => {
    const grid = cells.get(heading) ?? new Map<string, string>()
    cells.set(heading, grid)
    if ((grid.get(cell) ?? decision) !== decision)
      throw new Error(`${heading}, ${cell}: both ${grid.get(cell)} and ${decision}`)
    grid.set(cell, decision)
  }
  for (const keyDefault of ACCESS_TYPES)
    for (const disabled of [false, true]) {
      const { organization, folders, documents, users } = tableOf('o', disabled, usersWith(ALL_ROLES))
      for (const asked of [organization, ...folders, ...documents])
        for (const user of users) {
          const decided = (accessRole: AccessRole) =>
            decide(asked, user.id, NOW, { accessType: keyDefault, accessRole, hasCommenter: true })
          const decisions = [decided('viewer'), decided('commenter'), decided('editor')] as const
          const [decision] = decisions
          cases += decisions.length
          const isDisabled = disabled || (asked.type === 'document' && asked.disabled)
          if (isDisabled !== (decision.reason === 'disabled')) throw new Error(`${asked.id} is not denied as disabled`)
          if (isDisabled) disabledCases += decisions.length
          else
            record(
              headingOf(asked, decision),
              `${rowIn(user, asked)} | ${stateOf(user.membership)}`,
              words(asked, decisions),
            )
        }
    }
  return { cells, cases, disabledCases }
}

const rowIn = (user: User, asked: Resource) => (asked.type === 'organization' ? 'none' : rowOf(user, asked))

function headingOf(asked: Resource, { accessType }: Decision): string {
  if (asked.type === 'organization') return 'An organization'
  const boundary = chainOf(asked).find((resource) => resource.accessType !== undefined)
  const from = boundary === undefined ? 'the default of the key' : `${levelOf(asked, boundary.id)}'s own`
  return `A ${asked.type}: ${accessType}, ${from}`
}

function gridOf(heading: string, answers: ReadonlyMap<string, string>): string {
  const rows = heading === 'An organization' ? ['none'] : rowsOf(heading.startsWith('A folder') ? 'folder' : 'document')
  const grid = rows.map((row) => [
    row,
    ...MEMBERSHIPS.map((column) => {
      const answer = answers.get(`${row} | ${column}`)
      if (answer === undefined) throw new Error(`${heading}: no case of ${row}, ${column}`)
      return answer
    }),
  ])
  const head = ['grant below ↓, on the organization →', ...MEMBERSHIPS]
  return `### ${heading}\n\n${table(head, grid)}`
}

const inForce = () =>
  table(
    ['own of the folder ↓, of the document →', ...OWN_ACCESS_TYPES.map((own) => own ?? 'none')],
    OWN_ACCESS_TYPES.map((folder) => [
      folder ?? 'none',
      ...OWN_ACCESS_TYPES.map((document) => {
        if (document !== undefined) return `${document}; the document`
        return folder === undefined ? "the key's default; the organization" : `${folder}; the folder`
      }),
    ]),
  )

export function accessDecisions(): string {
  const { cells, cases, disabledCases } = decisionTable()
  const examples = Object.entries(EXAMPLES).map(([name, { answer }]) => [
    name.replace(/: [^:]*$/, ''),
    answer.allowed ? `${answer.accessRole}, by ${answer.reason.replace('_', ' ')}` : `denied: ${code(answer.reason)}`,
  ])
  return page(
    'Access decisions',
    'Who may do what with an organization, a folder or a document: one definition behind every operation that answers about access. How to ask is in the [guide](../guides/ask-about-access.md).',
    '## The rules',
    'The *chain* of a resource is the resource itself, its folder, the folders above that from the nearest on, and the organization. A *grant* of a user stands on a resource, is `viewer`, `editor` or, between them, `commenter` where the API key has that role, and may expire: from that very second on it is as if it were not there. The *boundary* is the first resource of the chain that has an access type of its own, or else the organization, where the default of the API key is in force; its access type counts, and grants above it do not open.',
    'The first rule that applies decides:',
    Object.entries(RULES)
      .map(([number, rule]) => `${number}. ${rule}`)
      .join('\n'),
    'Rules 3, 4 and 5 allow. For an organization, which has no access type, 4 and 5 never apply. The role is the strongest one of the live grants on the nearest resource of the chain that has one, also above the boundary; with none it is the default role of the API key, `editor` unless set. Who asks with `atLeast` is denied where the role is weaker. A denial is `grant_expired` instead of `no_grant` when the answer would be yes if expired grants were live.',
    '## Examples',
    'A document in a folder inside another folder, which have no access type of their own unless it is named. The default role of the key is `editor` unless it is named.',
    table(['setting and grants', 'answer about the document'], examples),
    '## The access type in force',
    'Of a document, with its boundary. A folder has its own, or else that of the folder above.',
    inForce(),
    '## Every case',
    `All ${cases.toLocaleString('en-US')} combinations of the key's defaults, own access types of folder and document, grants below the organization (where, which role, expired, to expire or not), membership and disabling. In ${disabledCases.toLocaleString('en-US')} of them the organization or the document is disabled, and the answer is denied: \`disabled\`, whatever the rest. The others are below: a grant that is yet to expire answers as one that is not, with \`expiresAt\`, one that has expired is the same whichever role it had, and the *default role* is the \`defaultAccessRole\` of the key. A test asks the server each of them.`,
    ...[...cells]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([heading, answers]) => gridOf(heading, answers)),
  )
}
