/**
 * Fields that several operations have, and the fields of inputs, changes and records derived from one list: a field has one
 * definition. Values that callers own, which the service only stores and returns, are any JSON within the bounds of metadata
 * (rules/contract.md#limits).
 */
import Type from 'typebox'
import { LIMITS } from './limits.ts'

/** An object that has these fields and no others: unless `STRICT_FIELDS` is off, a misspelt field is refused. */
export const ClosedObject = <Fields extends Type.TProperties>(fields: Fields, options: Type.TObjectOptions = {}) =>
  Type.Object(fields, { additionalProperties: false, ...options })

/** Fields of reads that do not select what is read. */
const NOT_FILTERS = /^(?:order|page|include|groupBy)/

/** Returns the names of the filters of a read. */
export const filtersOf = ({ properties }: Type.TObject): string[] =>
  Object.keys(properties).filter((name) => !NOT_FILTERS.test(name))

/** A time in milliseconds since 1970, at most the last one of the year 9999. */
export const Milliseconds = (description: string) =>
  Type.Integer({ description, minimum: 0, maximum: LIMITS.momentMillisecondsMax })

/** Returns the fields as inputs and records have them: each can be absent. */
export const optional = <Fields extends Type.TProperties>(fields: Fields) =>
  Type.Partial(Type.Object(fields)).properties

/** Returns the fields as changes have them: an absent field keeps its value, `null` clears it. */
export const nullable = <Fields extends Type.TProperties>(
  fields: Fields,
): { [Name in keyof Fields]: Type.TOptional<Type.TUnion<[Fields[Name], Type.TNull]>> } =>
  Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [name, Type.Optional(Type.Union([schema, Type.Null()]))]),
  ) as never

/** An object with fields of the caller's own. */
export const JsonObject = (description: string) =>
  Type.Object({}, { description, additionalProperties: true, freeform: true })

/** Any value. Null is a value like any other. */
export const JsonValue = (description: string) => Type.Unknown({ description, freeform: true })
