/** The end of a request in any way: detects it, and ends the work of the request when its caller hangs up or after `REQUEST_TIMEOUT_MS`. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Lifetime } from '#platform/lifetime.ts'
import { operationOf } from './request-context.ts'

/** Calls `over` once: when the response is sent (`true`), or the connection is gone before that, perhaps already (`false`). */
export function whenOver({ raw }: FastifyReply, over: (isSent: boolean) => void): void {
  let isOver = false
  const end = () => {
    if (isOver) return
    isOver = true
    over(raw.writableFinished)
  }
  if (raw.destroyed) end()
  else raw.once('finish', end).once('close', end)
}

/** Whether the caller hung up, so that nobody waits for the response. */
export const isAbandoned = ({ raw }: FastifyRequest): boolean => raw.socket.destroyed

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
