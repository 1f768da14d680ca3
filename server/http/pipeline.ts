/** Assembles the pipeline that every request passes through. Features register their routes on it. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ApiKeyId } from '#contract/core/ids.ts'
import type { StatusError } from '#platform/status-error.ts'
import type { Tracing } from '#platform/tracing.ts'
import { registerJsonBody } from './bodies/json-body.ts'
import { type ConnectionDrain, registerConnectionDrain } from './connection-drain.ts'
import { connectionsMax, registerConnectionShares } from './connection-shares.ts'
import { registerConnectionTurns } from './connection-turns.ts'
import { type Authentication, type AuthenticationOptions, createAuthentication } from './credentials/authenticate.ts'
import type { CredentialLookups } from './credentials/credentials.ts'
import { type KeyLimitOptions, type KeyLimits, keyLimits } from './limits/key-limits.ts'
import type { ProcessLimits } from './limits/process-limits.ts'
import type { RateLimit } from './limits/rate-limit.ts'
import { Usage } from './limits/usage.ts'
import { registerOpenApi } from './openapi/openapi.ts'
import { OTHER, operationOf, type RequestContext } from './request-context.ts'
import { registerLifetimes } from './request-end.ts'
import { registerErrors } from './responses/errors.ts'
import { registerTracing } from './tracing.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Returns the API key that a request of a route outside the contract is about; `true` means the key of its credentials. */
    ofApiKey?: true | ((request: FastifyRequest) => string | undefined)
  }
}

/** A call that has ended, whose API key is known. */
export interface EndedCall {
  apiKeyId: ApiKeyId
  /** The name of the operation, or the id of another described route. */
  operation: string
  caller: RequestContext['caller']
  body: unknown
  decidedUsers: RequestContext['decidedUsers']
  status: number
  /** False if the caller hung up before there was a response. */
  isAnswered: boolean
}

export interface Pipeline {
  app: FastifyInstance
  authentication: Authentication
  limits: { perKey: KeyLimits; perAddress: RateLimit; largeResults: ProcessLimits['largeResults'] }
  /** Reports not ready and closes each connection after its response, so that callers go elsewhere. All calls still get a response. */
  announceStop: ConnectionDrain['announce']
  isStopping: ConnectionDrain['isAnnounced']
  /** Calls `observe` at the end of every call of the API that counts for an API key: each once, however it ends. */
  onEnd(observe: (call: EndedCall) => void): void
}

export interface PipelineOptions extends Omit<AuthenticationOptions, 'failures'> {
  version: string
  bodyBytesMax: number
  requestTimeoutMs: number
  /** How many connections the process may have to its database: files that callers must leave free. */
  databaseConnections: number
  /** The limits of each API key or workspace, and those of the process. */
  limits: { perKey: KeyLimitOptions; process: ProcessLimits }
  tracing: Tracing | undefined
  credentials: CredentialLookups
  /**
   * Passes a request to the app of another bucket if the API key that it names is there; returns whether it was passed.
   * Undefined in the app of a bucket (ADR 0066).
   */
  handOver?: HandOver
  /** Returns the error that callers get for an error of the database, which is that of a bucket. */
  namingDatabase?: (error: StatusError) => StatusError
}

/** Returns false if the request is for this app. A promise only if that has to be asked. */
export type HandOver = (request: FastifyRequest, reply: FastifyReply) => boolean | Promise<boolean>

export async function createPipeline(app: FastifyInstance, options: PipelineOptions): Promise<Pipeline> {
  const { version, bodyBytesMax, requestTimeoutMs, databaseConnections, limits, tracing, ...others } = options
  const { credentials, handOver, namingDatabase, ...authentication } = others
  if (tracing !== undefined) registerTracing(app, tracing)
  const drain = registerConnectionDrain(app, (socket) => isWorkedOn(socket)) // counts requests before they wait for their turns
  const observers: ((call: EndedCall) => void)[] = []
  const isWorkedOn = registerConnectionTurns(app, (request, { statusCode: status, sent: isAnswered }) => {
    const { apiKeyId, caller, decidedUsers } = request.context
    const operation = operationOf(request)
    if (apiKeyId === undefined || operation === OTHER) return
    const call = { apiKeyId, operation, caller, body: request.body, decidedUsers, status, isAnswered }
    for (const observe of observers) observe(call)
  })
  registerConnectionShares(app, isWorkedOn, connectionsMax(databaseConnections))
  if (handOver !== undefined)
    app.addHook('onRequest', (request, reply, done) => {
      const handed = handOver(request, reply)
      if (handed === false) done()
      else if (handed !== true) handed.then((isHanded) => isHanded || done(), done)
    })
  if (namingDatabase !== undefined) app.decorate('namingDatabase', namingDatabase)
  registerErrors(app, bodyBytesMax)
  const usage = new Usage((largest) =>
    app.log.info({ largest }, 'the accounts that used the database most in a minute'),
  )
  const { failures, perAddress, memory, largeResults } = limits.process
  const perKey = keyLimits(limits.perKey, usage, memory)
  registerLifetimes(app, { timeoutMs: requestTimeoutMs, charge: perKey.charge })
  registerJsonBody(app)
  await registerOpenApi(app, version, options.headerPrefix)
  return {
    app,
    authentication: createAuthentication(credentials, { ...authentication, failures }),
    limits: { perKey, perAddress, largeResults },
    announceStop: drain.announce,
    isStopping: drain.isAnnounced,
    onEnd: (observe) => observers.push(observe),
  }
}
