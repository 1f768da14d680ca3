/** Assembles the pipeline that every request passes through. Features register their routes on it. */
import type { FastifyInstance } from 'fastify'
import type { Tracing } from '#platform/tracing.ts'
import {
  type Authentication,
  type AuthenticationOptions,
  type CredentialLookups,
  createAuthentication,
} from './authenticate.ts'
import { type ConnectionDrain, registerConnectionDrain } from './connection-drain.ts'
import { registerErrors } from './errors.ts'
import { registerJsonBody } from './json-body.ts'
import { registerLifetimes } from './lifetimes.ts'
import { registerOpenApi } from './openapi.ts'
import { type RateLimit, rateLimit } from './rate-limit.ts'
import { registerTracing } from './tracing.ts'

export interface Pipeline {
  app: FastifyInstance
  authentication: Authentication
  limits: { perKey: RateLimit; perAddress: RateLimit }
  /** Reports not ready and closes each connection after its response, so that callers go elsewhere. All calls still get a response. */
  announceStop: ConnectionDrain['announce']
  isStopping: ConnectionDrain['isAnnounced']
}

export interface PipelineOptions extends AuthenticationOptions {
  version: string
  bodyBytesMax: number
  requestTimeoutMs: number
  /** Requests per second for each API key, and per minute for each address. */
  rateLimits: { perKey: number; perAddress: number }
  tracing: Tracing | undefined
  credentials: CredentialLookups
}

export async function createPipeline(app: FastifyInstance, options: PipelineOptions): Promise<Pipeline> {
  const { version, bodyBytesMax, requestTimeoutMs, rateLimits, tracing, credentials, ...authentication } = options
  if (tracing !== undefined) registerTracing(app, tracing)
  const drain = registerConnectionDrain(app)
  registerErrors(app, bodyBytesMax)
  registerLifetimes(app, requestTimeoutMs)
  registerJsonBody(app)
  await registerOpenApi(app, version, options.headerPrefix)
  return {
    app,
    authentication: createAuthentication(credentials, authentication),
    limits: {
      perKey: rateLimit('key', rateLimits.perKey, 1),
      perAddress: rateLimit('address', rateLimits.perAddress, 60),
    },
    announceStop: drain.announce,
    isStopping: drain.isAnnounced,
  }
}
