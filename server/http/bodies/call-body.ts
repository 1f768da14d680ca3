/** The envelope of a request's body: `{ data }`, which calls that need no data may omit. */
import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import { needsNoData, type Operation } from '#contract/core/operation.ts'
import { invalidArgument } from '#platform/status-error.ts'

export const ENVELOPE = Type.Object({ data: Type.Object({}) }, { additionalProperties: false })

/** Returns the body, which is an object. A field beside `data` is an unknown field. Calls that need no data may omit it, but not write its fields beside it. */
export function bodyOf({ body = {} }: FastifyRequest, operation: Operation): { data?: unknown } {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) {
    const isOmitted = 'data' in body ? body.data === null : Object.keys(body).length === 0
    return isOmitted && needsNoData(operation) ? { ...body, data: {} } : body
  }
  throw invalidArgument([{ field: 'data', message: 'data is required: the body must be {"data": {…}}' }])
}
