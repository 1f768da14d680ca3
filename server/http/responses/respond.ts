/** Responds to the calls of operations: the response to a read is written in slices, and a write is made once. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Operation, takesIdempotencyKey, writes } from '#contract/core/operation.ts'
import { STATUS } from '#contract/core/status.ts'
import type { Warning } from '#contract/core/warnings.ts'
import type { StatusError } from '#platform/status-error.ts'
import type { Caller, UserCaller, WorkspaceCaller } from '#tenancy/callers/caller.ts'
import { forCaller } from '../credentials/presumed-callers.ts'
import { idempotencyKeyOf, keyOfCaller, ofOperator, type RespondOnce, type StoredResponse } from '../idempotency.ts'
import type { Pipeline } from '../pipeline.ts'
import type { RequestContext } from '../request-context.ts'
import { isAbandoned } from '../request-end.ts'
import { envelopeOf } from './errors.ts'
import { responseJson } from './response-json.ts'

/** The result of a handler: the `data` of the response, and the token of the next page if there is one. */
export interface HandlerResult<Data> {
  data?: Data
  nextPageToken?: string | undefined
  /** `documents/get` repeats the token under this name (rules/contract.md#pages). */
  pageToken?: string | undefined
  /** Information for the caller about a call that succeeded (rules/contract.md#warnings). */
  warnings?: Warning[]
  /**
   * The response is this error, although the changes of the call remain: `commentannotations/add` responds so when some
   * of its threads were not added (rules/comments.md#partial-failures).
   */
  failure?: StatusError
}

type AnyCaller = RequestContext['caller']

/** How a valid call is handled: by this app, or by that of the bucket that has its API key. */
export interface Handling {
  handle(caller: AnyCaller): Promise<HandlerResult<unknown> | undefined>
  respondOnce: RespondOnce
}

const JSON_TYPE = 'application/json; charset=utf-8'

/**
 * Returns a function that responds to calls of an operation. `handlingFor` refuses a call that is not valid for its
 * caller. A read may ask it for two callers, the presumed one and the one found (presumed-callers.ts).
 */
export function responder({ limits }: Pick<Pipeline, 'limits'>, operation: Operation) {
  const isWrite = writes(operation)
  const takesKeys = takesIdempotencyKey(operation)
  const successOf = (result: HandlerResult<unknown> | undefined) => ({
    result: { status: 'success', message: operation.success, ...result },
  })

  async function read(request: FastifyRequest, handlingFor: (caller: AnyCaller) => Promise<Handling>) {
    const { tenant } = request.context
    return forCaller(request, async (caller: AnyCaller) => {
      const { handle } = await handlingFor(caller)
      return limits.largeResults.make(tenant, operation.name, async () =>
        responseJson(tenant, successOf(await handle(caller)), () => isAbandoned(request)),
      )
    })
  }

  async function write(
    request: FastifyRequest,
    handlingFor: (caller: AnyCaller) => Promise<Handling>,
  ): Promise<StoredResponse & { replayed: boolean }> {
    const { caller, bodyHash } = request.context
    const { handle, respondOnce } = await handlingFor(caller)
    const refusal = (error: StatusError) => JSON.stringify(envelopeOf(error, request.id))
    const make = async (): Promise<StoredResponse> => {
      const { failure, ...result } = (await handle(caller)) ?? {}
      return failure === undefined
        ? { status: 'success', body: JSON.stringify(successOf(result)) }
        : { status: failure.status, body: refusal(failure) }
    }
    const key = takesKeys ? idempotencyKeyOf(request) : undefined
    if (key === undefined) return { ...(await make()), replayed: false }
    return respondOnce(
      {
        caller: caller as Caller | UserCaller | WorkspaceCaller,
        key: keyOfCaller(caller, key),
        request: `${operation.name} ${bodyHash}${ofOperator(caller)}`,
      },
      { make, refusal },
    )
  }

  return async (
    request: FastifyRequest,
    reply: FastifyReply,
    handlingFor: (caller: AnyCaller) => Promise<Handling>,
  ): Promise<FastifyReply> => {
    let response: string | Buffer
    if (isWrite) {
      const { status, body, replayed } = await write(request, handlingFor)
      if (status !== 'success') reply.code(STATUS[status].http)
      if (replayed) reply.header('idempotent-replayed', 'true')
      response = body
    } else response = await read(request, handlingFor)
    limits.perKey.hold(response, reply, { isWrite })
    return reply.type(JSON_TYPE).send(response)
  }
}
