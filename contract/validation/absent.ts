/**
 * Prepares a request for its schema: removes fields whose value means “absent”, and rounds times up
 * (rules/contract.md#absent-fields, rules/contract.md#times).
 */
import { PROTECTING_NAMES } from '../access/access-words.ts'
import { resembling } from '../core/metadata.ts'
import { knownNames, oncePerSchema, type SchemaNode } from './schema.ts'

const isNull = ({ type }: SchemaNode): boolean => type === 'null'

/** Returns whether null is a value like any other, as in a filter. */
const takesAnything = (schema: SchemaNode): boolean =>
  schema.type === undefined && schema.anyOf === undefined && schema.enum === undefined

/** Returns whether the object changes something that exists: its null clears a field, or is refused. */
const clears = oncePerSchema(
  ({ minProperties, properties = {} }) =>
    minProperties !== undefined || Object.values(properties).some(({ anyOf }) => anyOf?.some(isNull)),
)

/** Returns the fields of an object: the schema of each, and whether its null says that it is absent. */
const fieldsOf = oncePerSchema((schema) =>
  Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const inner = property.anyOf?.find((one) => !isNull(one)) ?? property
    const isNarrowing = schema.narrowing?.includes(name) ?? false
    return { name, inner, nullIsAbsent: !isNarrowing && !clears(schema) && !takesAnything(inner) }
  }),
)

/** Returns whether null under a name of metadata is removed: where metadata cannot have the name, it says nothing. */
const nullIsRemoved = ({ recordFields = [], nullMetadataIsAbsent = false }: SchemaNode, name: string): boolean =>
  nullMetadataIsAbsent || recordFields.includes(name) || resembling(name, PROTECTING_NAMES) !== undefined

/** Removes the fields that are absent, and rounds times up, in a value whose size is within the limits. */
export function prepare(schema: SchemaNode, value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    const { items } = schema
    if (items !== undefined) for (const item of value) prepare(items, item)
    return
  }
  const object = value as Record<string, unknown>
  for (const { name, inner, nullIsAbsent } of fieldsOf(schema)) {
    const given = object[name]
    if ((given === null && nullIsAbsent) || (given === '' && inner.emptyIsAbsent)) delete object[name]
    else if (inner.roundsUp && typeof given === 'number' && given > 0) object[name] = Math.ceil(given)
    else if (schema.minProperties === undefined) prepare(inner, given)
  }
  if (schema.metadata && !clears(schema))
    for (const name of Object.keys(object))
      if (object[name] === null && !knownNames(schema).has(name) && nullIsRemoved(schema, name)) delete object[name]
}
