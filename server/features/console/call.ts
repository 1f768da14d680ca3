/**
 * Registers calls that only the console makes. They have the form of operations, so the client can make them, but are
 * not in the contract.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import { ClosedObject } from '#contract/core/fields.ts'
import { LIMITS } from '#contract/core/limits.ts'
import { dataCheck } from '#http/bodies/validate.ts'

export const NoData = ClosedObject({})

/** Registers a call. `handle` must check the credentials first. The body is read before that, so its size limit is small. */
export function consoleRoute<Data extends TSchema>(
  app: FastifyInstance,
  named: string | { name: string; ofApiKey: true },
  schema: Data,
  message: string,
  handle: (data: () => Static<Data>, request: FastifyRequest, reply: FastifyReply) => Promise<object | undefined>,
): void {
  const { name, ...config } = typeof named === 'string' ? { name: named } : named
  const check = dataCheck(ClosedObject({ data: schema }), true)
  app.post(`/console/${name}`, { bodyLimit: LIMITS.smallBodyBytesMax, config }, async (request, reply) => {
    const data = () => {
      check(request.body, request.context.mayBeUnstorable)
      return (request.body as { data: Static<Data> }).data
    }
    const answer = await handle(data, request, reply)
    return { result: { status: 'success', message, ...(answer && { data: answer }) } }
  })
}
