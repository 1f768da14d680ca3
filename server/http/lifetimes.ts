/** Ends the work of a request when its caller hangs up, or after `REQUEST_TIMEOUT_MS`, and charges its account for the database. */
import type { FastifyInstance } from 'fastify'
import { Lifetime } from '#platform/lifetime.ts'
import { operationOf } from './request-context.ts'
import { whenOver } from './request-end.ts'

export interface LifetimeOptions {
  timeoutMs: number
  charge(account: string, ms: number): void
}

export function registerLifetimes(app: FastifyInstance, { timeoutMs, charge }: LifetimeOptions): void {
  app.addHook('preHandler', (request, reply, done) => {
    const { tenant, account } = request.context
    const lifetime = new Lifetime({
      name: `${operationOf(request)} ${request.id}`,
      tenant: tenant === '' ? request.ip : tenant,
      timeoutMs,
      charge: (ms) => {
        if (account !== '') charge(account, ms)
      },
    })
    whenOver(reply, (isSent) => {
      if (!isSent) lifetime.hangUp()
    })
    lifetime.run(done)
  })
}
