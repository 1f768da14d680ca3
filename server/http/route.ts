/**
 * Turns an operation of the contract into a route. A call goes through these steps:
 *
 * 1. `onRequest`: its credentials are looked up, and it counts towards the limit of its caller. A lone read does not wait for the
 *    look-up: it presumes the caller of its last call (presumed-callers.ts).
 * 2. Its body is read and checked. If it took long, the credentials are looked up again (late-bodies.ts). The database that
 *    serves the call is found (`servingElsewhere`).
 * 3. `admit` refuses operators whose role is too weak for the key that the body names.
 * 4. The feature handles the call, and its result becomes the response (responses/respond.ts). A write is made once: with an
 *    `Idempotency-Key`, a repeated call gets the stored response (idempotency.ts).
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { LIMITS } from '#contract/core/limits.ts'
import {
  type Credentials,
  type DataOf,
  type Operation,
  pathsOf,
  type ResultOf,
  writes,
} from '#contract/core/operation.ts'
import { prefixRenamer } from '#contract/validation/prefixed-fields.ts'
import type { Caller, PublicCaller, UserCaller, WorkspaceCaller } from '#tenancy/callers/caller.ts'
import { ignoredFieldsReporter } from './bodies/ignored-fields.ts'
import { checked } from './bodies/json-body.ts'
import { besideCheck, bodyOf, checkStepsByRoles, dataCheck, ENVELOPE } from './bodies/validate.ts'
import { registerPreflight } from './cors.ts'
import { renewCaller, setCaller } from './credentials/late-bodies.ts'
import { needsOf } from './credentials/operator-access.ts'
import { awaitLater } from './credentials/presumed-callers.ts'
import type { RespondOnce } from './idempotency.ts'
import type { Pipeline } from './pipeline.ts'
import type { RequestContext } from './request-context.ts'
import { type HandlerResult, responder } from './responses/respond.ts'

/** How an app serves an operation of a workspace that is about one API key. */
export interface Serving {
  /** Only of the caller and the data of its operation, which `register` passes on. */
  handle: (caller: never, data: never) => Promise<HandlerResult<unknown> | undefined>
  admit: ((caller: never, data: never) => Promise<void>) | undefined
  respondOnce: RespondOnce
}

export interface RouteOptions {
  strictFields: boolean
  headerPrefix: string
  respondOnce: RespondOnce
  /** Returns how the bucket of an API key serves an operation of its workspace; undefined: the key is here. */
  servingElsewhere(operation: string, apiKeyId: string): Promise<Serving | undefined>
}

interface RegisterOptions<AnyCaller, Data> {
  /** Refuses a call whose body is valid. */
  admit?: (caller: AnyCaller, data: Data) => Promise<void>
  /** A lone call begins before its credentials are looked up. For reads alone, which have no effect besides their response. */
  beginsEarly?: boolean
  /** An operation of a workspace about one of its API keys: the app of the bucket that has the key serves it (ADR 0066). */
  isOfOneKey?: boolean
}

// biome-ignore lint/suspicious/noExplicitAny: an operation of whatever schemas; `Op` keeps them
type AnyOperation = Operation<any, any>

/** Returns functions that register operations. Every `POST` of the contract is registered here. */
export function createRoutes({ app, authentication, limits }: Pipeline, options: RouteOptions) {
  const { strictFields, headerPrefix, respondOnce, servingElsewhere } = options
  const servings = new Map<string, Serving>()
  const checkEnvelope = dataCheck(ENVELOPE, strictFields)
  const reportIgnored = ignoredFieldsReporter(headerPrefix)
  function register<Op extends AnyOperation, AnyCaller extends RequestContext['caller']>(
    credentials: Credentials,
    operation: Op,
    authenticate: (request: FastifyRequest, reply: FastifyReply) => Promise<AnyCaller>,
    consume: (caller: AnyCaller, reply: FastifyReply) => Promise<void>,
    handle: (caller: AnyCaller, data: DataOf<Op>) => Promise<HandlerResult<ResultOf<Op>> | undefined>,
    { admit, beginsEarly = false, isOfOneKey = false }: RegisterOptions<AnyCaller, DataOf<Op>> = {},
  ): void {
    const own: Serving = { handle, admit, respondOnce }
    servings.set(operation.name, own)
    if (operation.credentials !== credentials)
      throw new Error(`${operation.name} takes credentials "${operation.credentials}", its route "${credentials}"`)
    const checkFor = checkStepsByRoles(operation.data, strictFields)
    const checkBeside = besideCheck(operation.data, strictFields)
    const renamePrefixed = prefixRenamer(operation.data, headerPrefix)
    const respond = responder({ limits }, operation)
    const isWrite = writes(operation)
    for (const url of pathsOf(operation))
      app.route({
        method: 'POST',
        url,
        ...(credentials === 'none' || operation.unlimited ? { bodyLimit: LIMITS.smallBodyBytesMax } : {}),
        config: { operation },
        onRequest: async (request, reply) => {
          const presumed = beginsEarly && !isWrite ? authentication.presumed(request, reply) : undefined
          const lookUp = authenticate(request, reply)
          if (presumed !== undefined) awaitLater(request, lookUp)
          const caller = presumed === undefined ? await lookUp : (presumed as AnyCaller)
          await consume(caller, reply)
          setCaller(request, caller)
        },
        handler: async (request, reply) => {
          await renewCaller(request, () => authenticate(request, reply))
          const sent = bodyOf(request, operation)
          renamePrefixed(sent.data)
          const { data, ...beside } = sent
          const ignoredBeside = checkEnvelope(sent, false)
          const ignoredInQuery = checkBeside(Object(data), beside, Object(request.query))
          return respond(request, reply, async (caller) => {
            const check = checkFor(caller !== undefined && 'hasCommenter' in caller && caller.hasCommenter)
            const ignored = await checked(request, check(data, request.context.mayBeUnstorable))
            reportIgnored(request, reply, [...ignoredBeside, ...ignoredInQuery, ...ignored])
            const elsewhere = isOfOneKey ? await servingElsewhere(operation.name, keyNamedIn(data)) : undefined
            const { admit, handle, respondOnce } = elsewhere ?? own
            await admit?.(caller as never, data as never)
            return { handle: (caller) => handle(caller as never, data as never), respondOnce }
          })
        },
      })
  }
  const ofWorkspace = <Op extends AnyOperation>(
    operation: Op,
    handle: (caller: WorkspaceCaller, data: DataOf<Op>) => Promise<HandlerResult<ResultOf<Op>> | undefined>,
    isOfOneKey: boolean,
  ) =>
    register(
      'workspace',
      operation,
      (request) => authentication.workspace(request, needsOf(operation)),
      async (caller, reply) => {
        if (!operation.unlimited) await limits.perKey.consume(caller, reply)
      },
      handle,
      { admit: (caller, data) => authentication.requireRoleForKey(caller, needsOf(operation), data), isOfOneKey },
    )

  return {
    servingOf: (operation: string): Serving | undefined => servings.get(operation),
    withApiKey: <Op extends AnyOperation>(
      operation: Op,
      handle: (caller: Caller, data: DataOf<Op>) => Promise<HandlerResult<ResultOf<Op>> | undefined>,
    ) =>
      register(
        'apiKey',
        operation,
        (request) => authentication.apiKey(request, needsOf(operation)),
        (caller, reply) => limits.perKey.consume(caller, reply),
        handle,
      ),
    /** Registers an operation that the contract opens to user tokens. */
    withApiKeyOrUser: <Op extends AnyOperation & { userToken?: true | undefined }>(
      operation: Op,
      handle: (caller: Caller | UserCaller, data: DataOf<Op>) => Promise<HandlerResult<ResultOf<Op>> | undefined>,
      options: Pick<RegisterOptions<never, never>, 'beginsEarly'> = {},
    ) => {
      if (!operation.userToken) throw new Error(`${operation.name} takes no user tokens`)
      for (const path of pathsOf(operation)) registerPreflight(app, path, headerPrefix)
      register(
        'apiKey',
        operation,
        (request, reply) => authentication.apiKeyOrUser(request, reply, needsOf(operation)),
        (caller, reply) => limits.perKey.consume(caller, reply),
        handle,
        options,
      )
    },
    withWorkspace: <Op extends AnyOperation>(
      operation: Op,
      handle: (caller: WorkspaceCaller, data: DataOf<Op>) => Promise<HandlerResult<ResultOf<Op>> | undefined>,
    ) => ofWorkspace(operation, handle, false),
    /** Registers an operation of a workspace that is about one of its API keys: the bucket of the key serves it. */
    withKeyOfWorkspace: <Op extends AnyOperation>(
      operation: Op,
      handle: (caller: WorkspaceCaller, data: DataOf<Op>) => Promise<HandlerResult<ResultOf<Op>> | undefined>,
    ) => ofWorkspace(operation, handle, true),
    withoutCredentials: <Op extends AnyOperation>(
      operation: Op,
      admit: (caller: PublicCaller) => void,
      handle: (caller: PublicCaller, data: DataOf<Op>) => Promise<HandlerResult<ResultOf<Op>> | undefined>,
    ) =>
      register(
        'none',
        operation,
        async (request) => authentication.anonymous(request),
        async (caller, reply) => {
          await limits.perAddress.consume(caller.address, reply)
          admit(caller)
        },
        handle,
      ),
  }
}
export type Routes = ReturnType<typeof createRoutes>

/** Returns the API key that the data of an operation is about. */
function keyNamedIn(data: unknown): string {
  const { targetApiKey, apiKey } = data as { targetApiKey?: string; apiKey?: string }
  return targetApiKey ?? apiKey ?? ''
}
