/**
 * Schemas of values that callers own and the service only stores and returns: any JSON within the bounds of metadata
 * (rules/contract.md#limits).
 */
import Type from 'typebox'

/** An object with fields of the caller's own. */
export const JsonObject = (description: string) =>
  Type.Object({}, { description, additionalProperties: true, freeform: true })

/** Any value. Null is a value like any other. */
export const JsonValue = (description: string) => Type.Unknown({ description, freeform: true })
