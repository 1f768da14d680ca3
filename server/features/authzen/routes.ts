/**
 * The AuthZEN Authorization API 1.0 on top of the decisions of `permissions.check` (rules/access.md#authzen), with the
 * paths, bodies and plain-text errors of the standard. Callers need an auth token of an API key.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import {
  AUTHZEN_PATHS,
  type Configuration,
  type EvaluationAnswer,
  Evaluations,
  type EvaluationsAnswer,
} from '#contract/access/authzen.ts'
import type { Decision } from '#contract/access/decisions.ts'
import { STATUS } from '#contract/core/status.ts'
import { faultFinder } from '#contract/validation/findings.ts'
import { renewCaller, setCaller } from '#http/credentials/late-bodies.ts'
import { NEEDS_TO_READ } from '#http/credentials/operator-access.ts'
import type { Description } from '#http/openapi/operations.ts'
import type { Pipeline } from '#http/pipeline.ts'
import { reportableError } from '#http/responses/errors.ts'
import { invalidArgument, type StatusError } from '#platform/status-error.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import {
  type Asker,
  answerOf,
  type Body,
  type Check,
  checkOf,
  errorOf,
  isObject,
  misspeltPart,
  NOT_AN_OBJECT,
  partsOf,
  pick,
  STOPS_AFTER,
} from './evaluations.ts'
import { CONFIGURATION, EVALUATION, EVALUATIONS } from './openapi.ts'

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
    const parsed = checkOf(partsOf(askerOf(request), bodyOf(request)))
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
    const defaults = partsOf(askerOf(request), body)
    const parsed = evaluations.map((evaluation) => {
      if (!isObject(evaluation)) return { faults: [NOT_AN_OBJECT] }
      const misspelt = misspeltPart(evaluation)
      return misspelt === undefined ? checkOf(partsOf(askerOf(request), evaluation, defaults)) : { faults: [misspelt] }
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

/** Returns the caller's request id in the response; the log has both ids. */
function keepRequestId(request: FastifyRequest, reply: FastifyReply): void {
  const id = request.headers[REQUEST_ID]
  if (typeof id !== 'string') return
  reply.header(REQUEST_ID, id)
  request.log = request.log.child({ requestIdOfCaller: id })
}

function bodyOf({ body }: FastifyRequest): Body {
  if (isObject(body)) return body
  throw invalidArgument([{ field: '', message: 'The body must be a JSON object.' }])
}

/** Returns what the validation of the evaluations of a call depends on. */
const askerOf = (request: FastifyRequest): Asker => ({
  hasCommenter: callerOf(request).hasCommenter,
  mayBeUnstorable: request.context.mayBeUnstorable,
})

const callerOf = ({ context }: FastifyRequest): Caller => context.caller as Caller

const faultsOfList = faultFinder(Evaluations)

/** Sends an error. The standard requires 401 for missing credentials, and every 401 names the authentication scheme. */
function sendError(reply: FastifyReply, { status, reason, message, retryAfterSeconds }: StatusError): FastifyReply {
  const sent = reason === 'header_missing' ? 'UNAUTHENTICATED' : status
  if (sent === 'UNAUTHENTICATED') reply.header('www-authenticate', 'ApiKey realm="Commonhold"')
  if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds))
  return reply.code(STATUS[sent].http).type('text/plain; charset=utf-8').send(message)
}
