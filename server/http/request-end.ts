/** Notices the end of a request, however it ends. */
import type { FastifyReply, FastifyRequest } from 'fastify'

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
