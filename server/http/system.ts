/** What operators and their tools ask: is it alive, is it ready, what is it. */
import type { FastifyInstance } from 'fastify'

const READY_WITHIN_MS = 1_000

export interface System {
  version: string
  engine: string
  /** Resolves when the database answers and its schema is the one this code knows. */
  ready(): Promise<void>
}

export function registerSystem(app: FastifyInstance, system: System): void {
  const hidden = { schema: { hide: true }, logLevel: 'warn' as const }
  app.get('/healthz', hidden, () => ({ status: 'ok' }))
  app.get('/readyz', hidden, async (_request, reply) => {
    const timeout = AbortSignal.timeout(READY_WITHIN_MS)
    const expired = new Promise<never>((_resolve, reject) => {
      timeout.onabort = () => reject(new Error('the database did not answer within a second'))
    })
    try {
      await Promise.race([system.ready(), expired])
      return { status: 'ready' }
    } catch (error) {
      return reply.code(503).send({ status: 'not ready', why: error instanceof Error ? error.message : String(error) })
    }
  })
  app.get('/version', hidden, () => ({ version: system.version, engine: system.engine, node: process.versions.node }))
  app.get('/', hidden, (_request, reply) => reply.redirect('/reference'))
}
