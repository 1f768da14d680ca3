/**
 * A body may arrive up to a minute after the credentials of its call were looked up. Then they are looked up again, so
 * that a caller cannot keep calls for later that a revocation should prevent (SECURITY.md).
 */
import type { FastifyRequest } from 'fastify'
import type { RequestContext } from '../request-context.ts'

/** How old the credentials of a call may be when its body has arrived. */
const AGE_MS_MAX = 1_000

/** Sets the caller of a request, whose credentials have just been looked up. */
export function setCaller({ context }: FastifyRequest, caller: RequestContext['caller']): void {
  context.caller = caller
  context.authenticatedAt = performance.now()
}

/** Looks up the credentials again if that was long ago. Runs when the body has arrived. */
export async function renewCaller(
  request: FastifyRequest,
  authenticate: () => Promise<RequestContext['caller']>,
): Promise<void> {
  if (performance.now() - request.context.authenticatedAt <= AGE_MS_MAX) return
  request.context.lookUp = undefined
  setCaller(request, await authenticate())
}
