/** The context of a request: steps of the pipeline store their findings in it for later steps. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { ApiKeyId } from '#contract/core/ids.ts'
import type { Span } from '#platform/tracing.ts'
import type { Caller, PublicCaller, UserCaller, WorkspaceCaller } from '#tenancy/callers/caller.ts'

declare module 'fastify' {
  interface FastifyRequest {
    context: RequestContext
  }
}

export interface RequestContext {
  /** Set once the credentials are checked; of a call that begins before that (`lookUp`), the caller that they had in the last one. */
  caller: Caller | UserCaller | WorkspaceCaller | PublicCaller | undefined
  /** When the credentials were looked up, by the clock of `performance`. */
  authenticatedAt: number
  /** A hash of all credentials of the call, once it is needed. */
  credential: string | undefined
  /** The look-up of the credentials of a call that began before it had ended; its failure comes before every other. */
  lookUp: Promise<unknown> | undefined
  /**
   * The API key for which the call counts, set as soon as the credentials are known to be valid, even if the call is refused then
   * (rules/keys.md#usage). Undefined for the pages of the console.
   */
  apiKeyId: ApiKeyId | undefined
  /** The tenant whose share of the process and whose limits the request uses. '' before it is known, and without credentials. */
  tenant: string
  account: string
  /** Whether the body may hold a value that PostgreSQL cannot store. */
  mayBeUnstorable: boolean
  /** Whether the body is so large that the event loop must not be held for all of it at once. */
  hasLargeBody: boolean
  /** SHA-256 of the body, if the request has an `Idempotency-Key`. */
  bodyHash: string | undefined
  /** The user of each decision of a call whose body may also ask for decisions that were not made (rules/keys.md#usage). */
  decidedUsers: readonly string[]
  /** Whether the app of a bucket works on the request, and reports it. */
  isHandedOver: boolean
  /** Undefined unless traces are recorded. */
  span: Span | undefined
}

/** Gives every request its context. Must be registered before every other hook. */
export function registerRequestContext(app: FastifyInstance): void {
  app.decorateRequest('context')
  app.addHook('onRequest', (request, _reply, done) => {
    request.context = {
      caller: undefined,
      authenticatedAt: 0,
      credential: undefined,
      lookUp: undefined,
      apiKeyId: undefined,
      tenant: '',
      account: '',
      mayBeUnstorable: false,
      hasLargeBody: false,
      bodyHash: undefined,
      decidedUsers: [],
      isHandedOver: false,
      span: undefined,
    }
    done()
  })
}

/** The name of all routes that are not described. */
export const OTHER = 'other'

/** Returns the operation of a request. All routes outside the contract share one name, so that callers cannot create metric labels. */
export const operationOf = ({ routeOptions }: FastifyRequest): string =>
  routeOptions.config.operation?.name ?? routeOptions.config.described?.operationId ?? OTHER
