/** Finds texts and numbers that cannot be stored as they are. */
import { LIMITS } from '../core/limits.ts'
import { isDoubtful, MUST_NOT_CHANGE } from './numbers.ts'
import { besidesNull, type Fault, isFull, propertyOf, type SchemaNode, within } from './schema.ts'
import { boundOf } from './sentences.ts'

/** Deeper than any valid request. A deeper body must be refused before it exhausts the stack. */
const DEPTH_MAX = 2 * LIMITS.metadataDepthMax

/** Returns why a text or number cannot be stored: NUL, unpaired surrogates, and numbers that a double does not keep. */
export function unstorable(value: unknown): string | undefined {
  if (typeof value === 'string' && (value.includes('\0') || !value.isWellFormed()))
    return 'must not contain NUL or unpaired surrogates'
  if (typeof value === 'bigint') return MUST_NOT_CHANGE
  if (typeof value !== 'number') return undefined
  if (!Number.isFinite(value)) return 'must not be a number beyond 1.8e308'
  return isDoubtful(value) ? MUST_NOT_CHANGE : undefined
}

/** A body with more values than this is refused without naming the field that cannot be stored. */
const SEARCHED_MAX = 100_000

/** Returns what is wrong with a value. To write a number as a string is advised only for the caller's own fields. */
function fault(value: unknown, schema: SchemaNode): string | undefined {
  const why = unstorable(value)
  return (why === MUST_NOT_CHANGE ? boundOf(schema, Number(value) < 0) : undefined) ?? why
}

/** Finds the texts and numbers in `value` that cannot be stored, up to the maximum number of faults. */
export function storableFaults(
  value: unknown,
  field: string,
  faults: Fault[],
  schema: SchemaNode = {},
  depth = 0,
  search = { left: SEARCHED_MAX },
): void {
  if (isFull(faults)) return
  if (--search.left <= 0) {
    if (search.left === 0) faults.push({ field: 'data', message: `data ${unstorable('\0')}` })
    return
  }
  const why = fault(value, schema)
  if (why !== undefined) faults.push({ field, message: `${field} ${why}` })
  if (typeof value !== 'object' || value === null) return
  if (depth > DEPTH_MAX) {
    faults.push({ field, message: `${field} nests too deep` })
    return
  }
  if (Array.isArray(value)) {
    // There can be millions of elements: build a path only for those that need one.
    for (let index = 0; index < value.length && !isFull(faults) && search.left > 0; index++)
      if (typeof value[index] === 'object' || unstorable(value[index]) !== undefined)
        storableFaults(value[index], `${field}[${index}]`, faults, besidesNull(schema).items, depth + 1, search)
    return
  }
  for (const [name, inner] of Object.entries(value)) {
    if (search.left <= 0) return
    storableFaults(name, within(field, 'a field name'), faults, undefined, depth + 1, search)
    storableFaults(inner, within(field, name), faults, propertyOf(besidesNull(schema), name), depth + 1, search)
  }
}
