/**
 * Validates the body of a call: the envelope `{ data }`, and `data` against its schema, with every fault in the
 * caller's terms (rules/contract.md#faults-of-a-body, rules/contract.md#unknown-fields).
 */
import type { FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import Type from 'typebox'
import { LIMITS } from '#contract/core/limits.ts'
import { needsNoData, type Operation } from '#contract/core/operation.ts'
import { type Check, findingSteps } from '#contract/validation/findings.ts'
import { mayBeIgnored, unimplementedField, unimplementedMessage } from '#contract/validation/ignored.ts'
import { withoutCommenter } from '#contract/validation/roles.ts'
import { type SchemaNode, someSchema } from '#contract/validation/schema.ts'
import { atOnce, type Steps } from '#contract/validation/steps.ts'
import { invalidArgument, StatusError } from '#platform/status-error.ts'

/**
 * Returns the check of one operation. It throws INVALID_ARGUMENT with every fault, or UNIMPLEMENTED, and returns the
 * names of the ignored fields.
 */
function checkSteps(schema: TSchema, strictFields: boolean, hasCommenter = false): Check<Steps<string[]>> {
  const steps = findingSteps(schema, strictFields ? 'refused' : 'ignored', hasCommenter)
  const refusesSome = strictFields && someSchema(schema as SchemaNode, ({ unimplemented }) => unimplemented)
  return function* (data, mayBeUnstorable) {
    if (refusesSome) refuseUnimplemented(schema as SchemaNode, data)
    const { faults, ignored } = yield* steps(data, mayBeUnstorable)
    if (faults.length > 0) throw invalidArgument(faults)
    return ignored
  }
}

/** Returns the check for callers with an API key that has the role `commenter`, or for others (rules/access.md#commenters). */
export function checkStepsByRoles(
  schema: TSchema,
  strictFields: boolean,
): (hasCommenter: boolean) => Check<Steps<string[]>> {
  const check = checkSteps(schema, strictFields, true)
  const checkWithout = checkSteps(withoutCommenter(schema), strictFields)
  return (hasCommenter) => (hasCommenter ? check : checkWithout)
}

/** Returns the same check, which runs without pauses. */
export function dataCheck(schema: TSchema, strictFields: boolean): Check<string[]> {
  const steps = checkSteps(schema, strictFields)
  return (data, mayBeUnstorable) => atOnce(steps(data, mayBeUnstorable))
}

/** Throws UNIMPLEMENTED if a field asks for a feature that is not offered. */
function refuseUnimplemented(schema: SchemaNode, data: unknown): void {
  const field = unimplementedField(schema, data)
  if (field !== undefined) throw unimplemented(field)
}

export const unimplemented = (field: string): StatusError =>
  new StatusError('UNIMPLEMENTED', 'field_not_implemented', unimplementedMessage(field), {
    details: [{ field, message: `${field} is not implemented` }],
  })

/**
 * Checks the fields of a request that are not in `data`. In lax mode, those `beside` it were ignored: they are refused if
 * they may stand for a field in `data`. Fields in the query of the address are unknown fields too. Returns their names.
 */
export function besideCheck(
  schema: TSchema,
  strictFields: boolean,
): (data: object, beside: object, query: object) => string[] {
  return (data, beside, query) => {
    const refused = (fields: object) =>
      Object.entries(fields)
        .filter(([name, value]) => strictFields || !mayBeIgnored(schema as SchemaNode, data, name, value))
        .map(([field]) => field)
    const faults = [
      ...refused(beside).map((field) => ({ field, message: `${field} is not a known field` })),
      ...refused(query).map((field) => ({
        field,
        message: `${field} must not be in the query of the address: the fields of a call are in "data" of its body`,
      })),
    ]
    if (faults.length > 0) throw invalidArgument(faults.slice(0, LIMITS.faultsMax))
    return Object.keys(query)
  }
}

export const ENVELOPE = Type.Object({ data: Type.Object({}) }, { additionalProperties: false })

/**
 * Returns the body, which is an object. A field beside `data` is an unknown field. Calls that need no data may omit it,
 * but not write its fields beside it.
 */
export function bodyOf({ body = {} }: FastifyRequest, operation: Operation): { data?: unknown } {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) {
    const isOmitted = 'data' in body ? body.data === null : Object.keys(body).length === 0
    return isOmitted && needsNoData(operation) ? { ...body, data: {} } : body
  }
  throw invalidArgument([{ field: 'data', message: 'data is required: the body must be {"data": {…}}' }])
}
