/** Evaluations of the AuthZEN standard as checks of `permissions.check`, and decisions as its answers (rules/access.md#authzen). */
import Type from 'typebox'
import {
  type DecisionContext,
  Evaluation,
  type EvaluationAnswer,
  type EvaluationsSemantic,
} from '#contract/access/authzen.ts'
import type { checkPermissions, Decision } from '#contract/access/decisions.ts'
import { organizationFault } from '#contract/access/permissions.ts'
import { LIMITS } from '#contract/core/limits.ts'
import { resembling } from '#contract/core/metadata.ts'
import type { DataOf } from '#contract/core/operation.ts'
import { STATUS } from '#contract/core/status.ts'
import { faultFinder } from '#contract/validation/findings.ts'
import { withoutCommenter } from '#contract/validation/roles.ts'
import type { Fault } from '#contract/validation/schema.ts'

export type Check = DataOf<typeof checkPermissions>['checks'][number]

export type Body = Record<string, unknown>

/** The inputs of the validation of an evaluation, except its body. */
export interface Asker {
  /** Whether the API key has the role `commenter`. */
  hasCommenter: boolean
  /** Whether the body may have text that PostgreSQL cannot store. */
  mayBeUnstorable: boolean
}

export const isObject = (value: unknown): value is Body =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const pick = (names: readonly string[], from: Body): Body =>
  Object.fromEntries(names.filter((name) => Object.hasOwn(from, name)).map((name) => [name, from[name]]))

const PARTS = ['subject', 'action', 'resource', 'context'] as const
type PartName = (typeof PARTS)[number]

/** The parts of an evaluation, each with its faults. */
type Parts = Record<PartName, { value: unknown; faults: Fault[] }>

const finderOf = (name: PartName) => faultFinder(Type.Pick(Evaluation, [name]))
const FAULTS_OF: Record<PartName, ReturnType<typeof finderOf>> = {
  subject: finderOf('subject'),
  action: finderOf('action'),
  resource: finderOf('resource'),
  context: finderOf('context'),
}
/** The faults of a request to an API key without the role `commenter`. */
const FAULTS_WITHOUT_COMMENTER = {
  ...FAULTS_OF,
  action: faultFinder(withoutCommenter(Type.Pick(Evaluation, ['action']))),
}

/** The role that a check must require for each action. */
const AT_LEAST = { view: {}, comment: { atLeast: 'commenter' }, edit: { atLeast: 'editor' } } as const

/**
 * Validates the parts of an evaluation. Parts that it omits are the defaults of the call, which were validated once:
 * the cost of a call grows with its body, not with the number of evaluations times the size of the defaults.
 */
export function partsOf({ hasCommenter, mayBeUnstorable }: Asker, body: Body, defaults?: Parts): Parts {
  const faultsOf = hasCommenter ? FAULTS_OF : FAULTS_WITHOUT_COMMENTER
  const validated = (name: PartName) => ({
    value: body[name],
    faults: faultsOf[name](pick([name], body), mayBeUnstorable),
  })
  const parts = PARTS.map((name) => [
    name,
    defaults === undefined || Object.hasOwn(body, name) ? validated(name) : defaults[name],
  ])
  return Object.fromEntries(parts)
}

/**
 * Returns the fault of a field that nearly spells a part which the evaluation omits. Ignored like other unknown fields, it
 * would leave a question about the default in place of the one that was meant, which may be permitted.
 */
export function misspeltPart(evaluation: Body): Fault | undefined {
  for (const field of Object.keys(evaluation)) {
    const meant = resembling(field, PARTS)
    if (meant !== undefined && !Object.hasOwn(evaluation, meant))
      return { field, message: `${field} is not a known field; did you mean "${meant}"?` }
  }
  return undefined
}

export const NOT_AN_OBJECT: Fault = { field: '', message: 'An evaluation must be a JSON object.' }

/** Converts an evaluation into a check of `permissions.check`. */
export function checkOf(parts: Parts): { check: Check } | { faults: Fault[] } {
  const faults = PARTS.flatMap((name) => parts[name].faults)
  if (faults.length > 0) return { faults: faults.slice(0, LIMITS.faultsMax) }
  const { subject, action, resource } = Object.fromEntries(PARTS.map((name) => [name, parts[name].value])) as Evaluation
  const { type, id, properties: { organizationId } = {} } = resource
  const named = { type, id, ...(organizationId === undefined ? {} : { organizationId }) }
  const fault = organizationFault(named, 'resource', 'resource.properties.organizationId')
  if (fault !== undefined) return { faults: [fault] }
  return {
    check: { userId: subject.id, resource: named, ...AT_LEAST[action.name] },
  }
}

export const answerOf = (decision: Decision): EvaluationAnswer => ({
  decision: decision.allowed,
  context: { ...decision, ...publicReason(decision) },
})

/** Says that everyone has access to a public resource (rules/contract.md#warnings), in `reason_admin`, the field of the standard. */
function publicReason({
  allowed,
  accessType,
  reason,
  via,
  accessRole,
}: Decision): Pick<DecisionContext, 'reason_admin'> {
  if (!allowed || accessType !== 'public') return {}
  if (reason !== 'access_type')
    return { reason_admin: { en: 'Public: every user of the API key has access, also without this grant.' } }
  const cause =
    via?.type === 'keyDefault' ? ' by default of the API key' : via?.inherited ? ` by the ${via.type} "${via.id}"` : ''
  return {
    reason_admin: {
      en: `Public${cause}: every user of the API key has access as ${accessRole}, also without a grant.`,
    },
  }
}

export const errorOf = (faults: readonly Fault[]): EvaluationAnswer => ({
  decision: false,
  context: {
    error: { status: STATUS.INVALID_ARGUMENT.http, message: faults[0]?.message ?? 'The evaluation is invalid.' },
  },
})

/** Returns whether evaluation stops after an answer. */
export const STOPS_AFTER: Record<EvaluationsSemantic, (answer: EvaluationAnswer) => boolean> = {
  execute_all: () => false,
  deny_on_first_deny: ({ decision }) => !decision,
  permit_on_first_permit: ({ decision }) => decision,
}
