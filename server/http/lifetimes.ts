/** Ends the work of a request when its caller hangs up, or after `REQUEST_TIMEOUT_MS`. */
import type { FastifyInstance } from 'fastify'
import { Lifetime } from '#platform/lifetime.ts'
import { operationOf } from './request-context.ts'

export function registerLifetimes(app: FastifyInstance, timeoutMs: number): void {
  app.addHook('preHandler', (request, reply, done) => {
    const lifetime = new Lifetime(`${operationOf(request)} ${request.id}`, timeoutMs)
    reply.raw.once('close', () => {
      if (!reply.raw.writableFinished) lifetime.hangUp()
    })
    lifetime.run(done)
  })
}
