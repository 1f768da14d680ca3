/** Decides about fields that a schema does not have: metadata, unknown ones, and those of features that are not offered (rules/contract.md#unknown-fields, rules/contract.md#metadata). */
import { accessFaults } from '#contract/access-words.ts'
import { metadataFaults, sizeFaults } from '#contract/metadata.ts'
import type { Steps } from '#platform/slices.ts'
import { StatusError } from '#platform/status-error.ts'
import { type Fault, isFull, knownNames, propertyOf, type SchemaNode, within } from './schema.ts'

/** Finds fields that look like protection; must run before `dropUnknown`, so that none of them is ignored. */
export function* protectionFaults(schema: SchemaNode, value: unknown, field: string, faults: Fault[]): Steps<void> {
  if (typeof value !== 'object' || value === null || isFull(faults)) return
  if (Array.isArray(value)) {
    const { items } = schema
    if (items !== undefined)
      for (const [index, item] of value.entries()) yield* protectionFaults(items, item, `${field}[${index}]`, faults)
    return
  }
  const object = value as Record<string, unknown>
  if (schema.accessAdvice) faults.push(...accessFaults(object, knownNames(schema), field, schema.accessAdvice))
  yield
  for (const [name, inner] of Object.entries(schema.properties ?? {}))
    yield* protectionFaults(inner, object[name], within(field, name), faults)
}

/** Finds faults in the caller's own fields, in the objects of `data` that accept them. */
export function* openObjectFaults(schema: SchemaNode, value: unknown, field: string, faults: Fault[]): Steps<void> {
  if (typeof value !== 'object' || value === null || isFull(faults)) return
  if (Array.isArray(value)) {
    const { items } = schema
    if (items !== undefined)
      for (const [index, item] of value.entries()) yield* openObjectFaults(items, item, `${field}[${index}]`, faults)
    return
  }
  const object = value as Record<string, unknown>
  if (schema.metadata) faults.push(...metadataFaults(object, knownNames(schema), field, schema.recordFields))
  if (schema.freeform) faults.push(...sizeFaults(object, field))
  yield
  for (const [name, inner] of Object.entries(schema.properties ?? {}))
    yield* openObjectFaults(inner, object[name], within(field, name), faults)
}

/** Removes unknown fields, for `STRICT_FIELDS=false`. */
export function dropUnknown(schema: SchemaNode, value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    for (const item of value) if (schema.items !== undefined) dropUnknown(schema.items, item)
    return
  }
  const object = value as Record<string, unknown>
  for (const name of Object.keys(object)) {
    const inner = propertyOf(schema, name)
    if (inner !== undefined) dropUnknown(inner, object[name])
    else if (schema.additionalProperties === false) delete object[name]
  }
}

export function refuseUnimplemented(schema: SchemaNode, data: unknown, at = ''): void {
  if (typeof data !== 'object' || data === null) return
  const name = schema.unimplemented?.find((known) => Object.hasOwn(data, known))
  if (name === undefined) {
    for (const [inner, node] of Object.entries(schema.properties ?? {}))
      refuseUnimplemented(node, (data as Record<string, unknown>)[inner], within(at, inner))
    return
  }
  const field = within(at, name)
  throw new StatusError(
    'UNIMPLEMENTED',
    'field_not_implemented',
    `${field} belongs to a feature that Commonhold does not have; leave it out, or set STRICT_FIELDS=false to have such fields ignored.`,
    { details: [{ field, message: `${field} is not implemented` }] },
  )
}
