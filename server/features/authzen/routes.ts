/**
 * The AuthZEN Authorization API 1.0 on top of the decisions of `permissions.check` (rules/access.md#authzen), with the
 * paths, bodies and plain-text errors of the standard. Callers need an auth token of an API key.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type, { type Static } from 'typebox'
import {
  AUTHZEN_PATHS,
  type Configuration,
  type DecisionContext,
  Evaluation,
  type EvaluationAnswer,
  Evaluations,
  type EvaluationsAnswer,
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
import { renewCaller, setCaller } from '#http/credentials/late-bodies.ts'
import { NEEDS_TO_READ } from '#http/credentials/operator-access.ts'
import type { Description } from '#http/openapi/operations.ts'
import type { Pipeline } from '#http/pipeline.ts'
import { reportableError } from '#http/responses/errors.ts'
import { invalidArgument, type StatusError } from '#platform/status-error.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { CONFIGURATION, EVALUATION, EVALUATIONS } from './openapi.ts'

type Check = DataOf<typeof checkPermissions>['checks'][number]

export interface AuthZenDeps {
  check(caller: Caller, data: { checks: Check[] }): Promise<Decision[]>
  /** The identity of this decision point; never the Host header, which callers choose. */
  publicUrl: () => string
  headerPrefix: string
  bodyBytesMax: number
}

const JSON_TYPE = 'application/json; charset=utf-8'
const CONFIGURATION_MAX_AGE_SECONDS = 3_600
const REQUEST_ID = 'x-request-id'

export function authZenRoutes({ app, authentication, limits }: Pipeline, deps: AuthZenDeps): void {
  const { check, publicUrl, headerPrefix } = deps

  /** Registers a decision endpoint. */
  function post(url: string, description: Description, decide: (request: FastifyRequest) => Promise<object>) {
    app.route({
      method: 'POST',
      url,
      config: {
        ofApiKey: true,
        described: {
          security: [{ [`x-${headerPrefix}-api-key`]: [], [`x-${headerPrefix}-auth-token`]: [] }],
          ...description,
        },
      },
      onRequest: async (request, reply) => {
        keepRequestId(request, reply)
        const caller = await authentication.apiKey(request, NEEDS_TO_READ)
        await limits.perKey.consume(caller, reply)
        setCaller(request, caller)
      },
      handler: async (request, reply) => {
        await renewCaller(request, () => authentication.apiKey(request, NEEDS_TO_READ))
        const answer = await decide(request)
        return reply.type(JSON_TYPE).send(JSON.stringify(answer))
      },
      errorHandler: (error, request, reply) => sendError(reply, reportableError(error, request, deps.bodyBytesMax)),
    })
  }

  /** Decides checks, which count as usage from then on (rules/keys.md#usage). */
  async function decided(request: FastifyRequest, checks: Check[]): Promise<Decision[]> {
    const decisions = checks.length === 0 ? [] : await check(callerOf(request), { checks })
    request.context.decidedUsers = checks.flatMap(({ userId }) => userId ?? [])
    return decisions
  }

  async function evaluate(request: FastifyRequest): Promise<EvaluationAnswer> {
    const parsed = checkOf(partsOf(request, bodyOf(request)))
    if ('faults' in parsed) throw invalidArgument(parsed.faults)
    const [decision] = await decided(request, [parsed.check])
    return answerOf(decision as Decision)
  }

  async function evaluateMany(request: FastifyRequest): Promise<EvaluationAnswer | EvaluationsAnswer> {
    const body = bodyOf(request)
    const list = pick(['evaluations', 'options'], body)
    const faults = faultsOfList(list, false)
    if (faults.length > 0) throw invalidArgument(faults)
    const { evaluations = [], options } = list as Static<typeof Evaluations>
    if (evaluations.length === 0) return evaluate(request)
    const defaults = partsOf(request, body)
    const parsed = evaluations.map((evaluation) => {
      if (!isObject(evaluation)) return { faults: [NOT_AN_OBJECT] }
      const misspelt = misspeltPart(evaluation)
      return misspelt === undefined ? checkOf(partsOf(request, evaluation, defaults)) : { faults: [misspelt] }
    })
    const valid = parsed.flatMap((one) => ('check' in one ? [one.check] : []))
    const decisions = (await decided(request, valid)).values()
    const answers = parsed.map((one) =>
      'check' in one ? answerOf(decisions.next().value as Decision) : errorOf(one.faults),
    )
    const last = answers.findIndex(STOPS_AFTER[options?.evaluations_semantic ?? 'execute_all'])
    return { evaluations: last === -1 ? answers : answers.slice(0, last + 1) }
  }

  post(AUTHZEN_PATHS.evaluation, EVALUATION, evaluate)
  post(AUTHZEN_PATHS.evaluations, EVALUATIONS, evaluateMany)
  app.get(AUTHZEN_PATHS.configuration, { config: { described: CONFIGURATION } }, async (request, reply) => {
    keepRequestId(request, reply)
    await limits.perAddress.consume(request.ip, reply)
    const base = publicUrl()
    const configuration: Configuration = {
      policy_decision_point: base,
      access_evaluation_endpoint: base + AUTHZEN_PATHS.evaluation,
      access_evaluations_endpoint: base + AUTHZEN_PATHS.evaluations,
    }
    return reply
      .header('cache-control', `public, max-age=${CONFIGURATION_MAX_AGE_SECONDS}`)
      .type(JSON_TYPE)
      .send(JSON.stringify(configuration))
  })
}

type Body = Record<string, unknown>

/** Returns the caller's request id in the response; the log has both ids. */
function keepRequestId(request: FastifyRequest, reply: FastifyReply): void {
  const id = request.headers[REQUEST_ID]
  if (typeof id !== 'string') return
  reply.header(REQUEST_ID, id)
  request.log = request.log.child({ requestIdOfCaller: id })
}

const isObject = (value: unknown): value is Body => typeof value === 'object' && value !== null && !Array.isArray(value)

function bodyOf({ body }: FastifyRequest): Body {
  if (isObject(body)) return body
  throw invalidArgument([{ field: '', message: 'The body must be a JSON object.' }])
}

const callerOf = ({ context }: FastifyRequest): Caller => context.caller as Caller

const pick = (names: readonly string[], from: Body): Body =>
  Object.fromEntries(names.filter((name) => Object.hasOwn(from, name)).map((name) => [name, from[name]]))

const faultsOfList = faultFinder(Evaluations)

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
/** For API keys without the role `commenter`. */
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
function partsOf(request: FastifyRequest, body: Body, defaults?: Parts): Parts {
  const suspect = request.context.mayBeUnstorable
  const faultsOf = callerOf(request).hasCommenter ? FAULTS_OF : FAULTS_WITHOUT_COMMENTER
  const validated = (name: PartName) => ({ value: body[name], faults: faultsOf[name](pick([name], body), suspect) })
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
function misspeltPart(evaluation: Body): Fault | undefined {
  for (const field of Object.keys(evaluation)) {
    const meant = resembling(field, PARTS)
    if (meant !== undefined && !Object.hasOwn(evaluation, meant))
      return { field, message: `${field} is not a known field; did you mean "${meant}"?` }
  }
  return undefined
}

const NOT_AN_OBJECT: Fault = { field: '', message: 'An evaluation must be a JSON object.' }

/** Converts an evaluation into a check of `permissions.check`. */
function checkOf(parts: Parts): { check: Check } | { faults: Fault[] } {
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

const answerOf = (decision: Decision): EvaluationAnswer => ({
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

const errorOf = (faults: readonly Fault[]): EvaluationAnswer => ({
  decision: false,
  context: {
    error: { status: STATUS.INVALID_ARGUMENT.http, message: faults[0]?.message ?? 'The evaluation is invalid.' },
  },
})

/** Returns whether evaluation stops after an answer. */
const STOPS_AFTER: Record<EvaluationsSemantic, (answer: EvaluationAnswer) => boolean> = {
  execute_all: () => false,
  deny_on_first_deny: ({ decision }) => !decision,
  permit_on_first_permit: ({ decision }) => decision,
}

/** Sends an error. The standard requires 401 for missing credentials, and every 401 names the authentication scheme. */
function sendError(reply: FastifyReply, { status, reason, message, retryAfterSeconds }: StatusError): FastifyReply {
  const sent = reason === 'header_missing' ? 'UNAUTHENTICATED' : status
  if (sent === 'UNAUTHENTICATED') reply.header('www-authenticate', 'ApiKey realm="Commonhold"')
  if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds))
  return reply.code(STATUS[sent].http).type('text/plain; charset=utf-8').send(message)
}
