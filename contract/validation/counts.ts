/** Refuses lists and objects with too many elements before anything visits each of them. */
import { LIMITS } from '../core/limits.ts'
import { countFaults } from '../core/metadata.ts'
import { besidesNull, type Fault, isFull, knownNames, type SchemaNode, within } from './schema.ts'
import { count, unknownField } from './sentences.ts'

/**
 * Finds lists and objects with too many elements to validate within one call. A body without any is small enough for
 * every other check.
 */
export function countLimitFaults(node: SchemaNode, value: unknown, field: string, faults: Fault[]): void {
  if (typeof value !== 'object' || value === null || isFull(faults)) return
  const schema = besidesNull(node)
  if (Array.isArray(value)) {
    const { items, maxItems } = schema
    if (maxItems !== undefined && value.length > maxItems)
      faults.push({ field, message: `${field} must not have more than ${count(maxItems, 'item')}` })
    else if (items !== undefined)
      for (const [index, item] of value.entries()) countLimitFaults(items, item, `${field}[${index}]`, faults)
    return
  }
  const { properties = {}, additionalProperties, metadata, freeform, fieldsMax } = schema
  if (metadata || freeform) faults.push(...countFaults(value, knownNames(schema), field, fieldsMax))
  else if (additionalProperties === false) {
    const unknown = Object.keys(value).filter((name) => !Object.hasOwn(properties, name))
    if (unknown.length >= LIMITS.faultsMax)
      faults.push(...unknown.slice(0, LIMITS.faultsMax).map((name) => unknownField(schema, field, name)))
  }
  for (const [name, inner] of Object.entries(properties))
    countLimitFaults(inner, (value as Record<string, unknown>)[name], within(field, name), faults)
}

/** Returns whether `countLimitFaults` may find a fault. It rarely does, and then building the paths is skipped. */
export function mayExceedCounts(node: SchemaNode, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const schema = besidesNull(node)
  const { items, maxItems, properties = {} } = schema
  if (Array.isArray(value))
    return (
      (maxItems !== undefined && value.length > maxItems) ||
      (items !== undefined && value.some((item) => mayExceedCounts(items, item)))
    )
  const isOpen = schema.metadata || schema.freeform
  if (isOpen && Object.keys(value).length > (schema.fieldsMax ?? LIMITS.metadataKeysMax)) return true
  if (!isOpen && schema.additionalProperties === false && Object.keys(value).length >= LIMITS.faultsMax) return true
  for (const name in properties)
    if (mayExceedCounts(properties[name] as SchemaNode, (value as Record<string, unknown>)[name])) return true
  return false
}
