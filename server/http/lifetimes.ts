/** Ends the work of a request when its caller hangs up, or after `REQUEST_TIMEOUT_MS`, and charges its API key for the database. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Lifetime } from '#platform/lifetime.ts'
import { operationOf } from './request-context.ts'
import { whenOver } from './when-over.ts'

export interface LifetimeOptions {
  timeoutMs: number
  charge(apiKeyId: string, ms: number): void
}

export function registerLifetimes(app: FastifyInstance, { timeoutMs, charge }: LifetimeOptions): void {
  app.addHook('preHandler', (request, reply, done) => {
    const { tenant } = request.context
    const lifetime = new Lifetime({
      name: `${operationOf(request)} ${request.id}`,
      tenant: tenantOf(request),
      timeoutMs,
      charge: (ms) => {
        if (tenant !== '') charge(tenant, ms)
      },
    })
    whenOver(reply, (isSent) => {
      if (!isSent) lifetime.hangUp()
    })
    lifetime.run(done)
  })
}

/** Whose share of the connections a request uses: that of its API key, its workspace, or else its address. */
function tenantOf({ context: { tenant, caller }, ip }: FastifyRequest): string {
  if (tenant !== '') return tenant
  return caller !== undefined && 'workspaceId' in caller ? caller.workspaceId : ip
}
