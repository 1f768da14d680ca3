/** Finds texts and numbers that PostgreSQL cannot store. */
import { LIMITS } from '../core/limits.ts'
import { type Fault, isFull, within } from './schema.ts'

/** Deeper than any valid request. A deeper body must be refused before it exhausts the stack. */
const DEPTH_MAX = 2 * LIMITS.metadataDepthMax

/** Returns why PostgreSQL cannot store a text or number: NUL, unpaired surrogates, numbers beyond the range of a double. */
export function unstorable(value: unknown): string | undefined {
  if (typeof value === 'string' && (value.includes('\0') || !value.isWellFormed()))
    return 'must not contain NUL or unpaired surrogates'
  return typeof value === 'number' && !Number.isFinite(value) ? 'must not be a number beyond 1.8e308' : undefined
}

/** A body with more values than this is refused without naming the field that cannot be stored. */
const SEARCHED_MAX = 100_000

/** Finds the texts and numbers in `value` that cannot be stored, up to the maximum number of faults. */
export function storableFaults(
  value: unknown,
  field: string,
  faults: Fault[],
  depth = 0,
  search = { left: SEARCHED_MAX },
): void {
  if (isFull(faults)) return
  if (--search.left <= 0) {
    if (search.left === 0) faults.push({ field: 'data', message: `data ${unstorable('\0')}` })
    return
  }
  const why = unstorable(value)
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
        storableFaults(value[index], `${field}[${index}]`, faults, depth + 1, search)
    return
  }
  for (const [name, inner] of Object.entries(value)) {
    if (search.left <= 0) return
    storableFaults(name, within(field, 'a field name'), faults, depth + 1, search)
    storableFaults(inner, within(field, name), faults, depth + 1, search)
  }
}
