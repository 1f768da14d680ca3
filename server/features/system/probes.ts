/** Serves health, readiness and version probes. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { STATUS } from '#contract/core/status.ts'
import { StatusError } from '../../platform/status-error.ts'

const READY_WITHIN_MS = 1_000

export interface System {
  version: string
  engine: string
  /** Returns whether the server is stopping. */
  isStopping(): boolean
  /** Returns whether the schema matches this version; rejects if the database does not respond. */
  schemaIsCurrent(): Promise<boolean>
  /** Returns why the database refuses changes, if it does. */
  writesRefused(): { message: string } | undefined
  /** Returns why the server must not seal secrets, if that is so. */
  masterKeyRefusal(): { message: string } | undefined
  /** Returns why no PostgreSQL server may be used, if that is so. */
  primaryRefusal(): { message: string } | undefined
}

export function registerProbes(app: FastifyInstance, system: System): void {
  const quiet = { logLevel: 'warn' as const }
  app.get('/healthz', quiet, () => ({ status: 'ok' }))
  app.get('/readyz', quiet, async (request, reply) => {
    const notReady = (why: string) => reply.code(STATUS.UNAVAILABLE.http).send({ status: 'not ready', why })
    if (system.isStopping()) return notReady('The server is stopping.')
    const refusal = system.primaryRefusal() ?? system.masterKeyRefusal()
    if (refusal !== undefined) return notReady(refusal.message)
    const expired = sleep(READY_WITHIN_MS, undefined, { ref: false }).then(() => {
      throw new Error(`no answer within ${READY_WITHIN_MS} ms`)
    })
    try {
      const current = await Promise.race([system.schemaIsCurrent(), expired])
      if (!current) return notReady('The schema of the database does not match this version.')
      // Still 200: without this server in the load balancer there would be no decisions either.
      const refused = system.writesRefused()
      return refused === undefined ? { status: 'ready' } : { status: 'read only', why: refused.message }
    } catch (error) {
      request.log.warn({ err: error }, 'not ready')
      // A new connection can find a former primary before the watcher does; its refusal is the error then.
      const why = error instanceof StatusError ? error : system.primaryRefusal()
      return notReady(why?.message ?? 'The database does not respond.')
    }
  })
  app.get('/version', quiet, () => ({ version: system.version, engine: system.engine, node: process.versions.node }))
  // Browsers accept HTML by name; tools that accept anything get the reference.
  const isBrowser = ({ headers }: FastifyRequest) => /\btext\/html\b/.test(headers.accept ?? '')
  app.get('/', quiet, (request, reply) =>
    reply.header('vary', 'accept').redirect(isBrowser(request) ? '/console/' : '/reference'),
  )
}
