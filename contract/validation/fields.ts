/**
 * Checks the fields of objects that accept the caller's own fields: metadata, and names that look like protection
 * (rules/contract.md#metadata).
 */
import { accessFaults } from '../access/access-words.ts'
import { metadataFaults, sizeFaults } from '../core/metadata.ts'
import {
  besidesNull,
  type Fault,
  isFull,
  knownNames,
  oncePerSchema,
  type SchemaNode,
  someSchema,
  within,
} from './schema.ts'
import type { Steps } from './steps.ts'

/** Whether an object of the schema refuses fields that look like protection. */
export const hasAdvice = oncePerSchema((schema) => someSchema(schema, ({ accessAdvice }) => accessAdvice))

/** Whether an object of the schema accepts the caller's own fields. */
export const hasOpenObject = oncePerSchema((schema) =>
  someSchema(schema, ({ metadata, freeform }) => metadata || freeform),
)

const propertiesWith = (isMeant: (schema: SchemaNode) => boolean) =>
  oncePerSchema(({ properties = {} }) => Object.entries(properties).filter(([, inner]) => isMeant(inner)))
const propertiesWithAdvice = propertiesWith(hasAdvice)
const openProperties = propertiesWith(hasOpenObject)

/** Finds fields that look like protection. `hasCommenter`: so does the word `commenter`. */
export function* protectionFaults(
  schema: SchemaNode,
  value: unknown,
  field: string,
  faults: Fault[],
  hasCommenter: boolean,
): Steps<void> {
  if (typeof value !== 'object' || value === null || isFull(faults)) return
  if (Array.isArray(value)) {
    const { items } = schema
    if (items !== undefined)
      for (const [index, item] of value.entries())
        yield* protectionFaults(items, item, `${field}[${index}]`, faults, hasCommenter)
    return
  }
  const object = value as Record<string, unknown>
  if (schema.accessAdvice)
    faults.push(...accessFaults(object, knownNames(schema), field, schema.accessAdvice, hasCommenter))
  yield
  for (const [name, inner] of propertiesWithAdvice(schema))
    yield* protectionFaults(besidesNull(inner), object[name], within(field, name), faults, hasCommenter)
}

/** Finds faults in the caller's own fields, in the objects of `data` that accept them. */
export function* openObjectFaults(schema: SchemaNode, value: unknown, field: string, faults: Fault[]): Steps<void> {
  if (value === undefined || value === null || isFull(faults)) return
  if (schema.freeform) faults.push(...sizeFaults(value, field))
  if (typeof value !== 'object') return
  if (Array.isArray(value)) {
    const { items } = schema
    if (items !== undefined)
      for (const [index, item] of value.entries()) yield* openObjectFaults(items, item, `${field}[${index}]`, faults)
    return
  }
  const object = value as Record<string, unknown>
  if (schema.metadata) faults.push(...metadataFaults(object, knownNames(schema), field, schema.recordFields))
  yield
  for (const [name, inner] of openProperties(schema))
    yield* openObjectFaults(besidesNull(inner), object[name], within(field, name), faults)
}
