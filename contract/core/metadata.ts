/**
 * Checks the metadata of open objects (organization, document, user), which store every field that is not their own
 * (rules/contract.md#metadata).
 */
import { distance } from 'fastest-levenshtein'
import { LIMITS } from './limits.ts'

const PLAIN = /^[a-z0-9]*$/

export const plain = (name: string): string =>
  PLAIN.test(name) ? name : name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')

/** Returns whether two texts have the same letters: of those with an edit distance of 2, two are exchanged, or one has moved. */
const isExchanged = (one: string, other: string): boolean => [...one].sort().join('') === [...other].sort().join('')

/** Returns whether one text is a misspelling of another: at most `edits` letters differ, or two are exchanged, or one has moved. */
export function isMisspelt(one: string, other: string, edits: number): boolean {
  if (edits === 0) return one === other
  const found = distance(one, other)
  return found <= edits || (found === 2 && isExchanged(one, other))
}

/** Longer names are not compared: that would cost more than it helps. */
const COMPARED_CHARACTERS_MAX = 64

/** Returns a bit for each letter of `text`; some letters share one. */
function lettersOf(text: string): number {
  let bits = 0
  for (let at = 0; at < text.length; at++) bits |= 1 << (text.charCodeAt(at) & 31)
  return bits
}

/** Whether more than `count` bits of `letters` are not among `others`. */
function hasMore(letters: number, others: number, count: number): boolean {
  let rest = letters & ~others
  for (let left = count; rest !== 0; left--) {
    if (left === 0) return true
    rest &= rest - 1
  }
  return false
}

interface Target {
  name: string
  text: string
  letters: number
  /** How many letters a name may differ from this one and still count as a misspelling of it. */
  tolerance: number
}

/** The names that a text of a given length may mean, in the order of the list. */
type Targets = readonly (readonly Target[])[]

/** A cache for the few lists that the API has: one call compares up to 100,000 names with them. */
const targets = new WeakMap<Iterable<string>, Targets>()

function targetsOf(known: Iterable<string>): Targets {
  const all = [...known].map((name): Target => {
    const text = plain(name)
    return { name, text, letters: lettersOf(text), tolerance: text.length < 6 ? 0 : text.length < 9 ? 1 : 2 }
  })
  const byLength = Array.from({ length: COMPARED_CHARACTERS_MAX + 1 }, (_, length) =>
    all.filter(({ text, tolerance }) => Math.abs(length - text.length) <= tolerance),
  )
  targets.set(known, byLength)
  return byLength
}

/**
 * Returns the name among `known` that `name` resembles: equal except for case and punctuation, or else one or two
 * letters apart, or two of them exchanged. The caller must not change `known` afterwards, because the result is cached.
 */
export function resembling(name: string, known: Iterable<string>): string | undefined {
  if (name.length > COMPARED_CHARACTERS_MAX) return undefined
  const candidate = plain(name)
  const own = lettersOf(candidate)
  let near: string | undefined
  for (const { name, text, letters, tolerance } of (targets.get(known) ?? targetsOf(known))[candidate.length] ?? []) {
    // Each edit adds one letter at most, and removes one: most names need no more than this.
    if (hasMore(own, letters, tolerance) || hasMore(letters, own, tolerance)) continue
    if (candidate === text) return name
    if (near === undefined && isMisspelt(candidate, text, tolerance)) near = name
  }
  return near
}

export interface MetadataFault {
  field: string
  message: string
}

/** Counts values, so that the checks of a value with millions of them end early. */
class Count {
  left: number

  constructor(max: number) {
    this.left = max
  }
}

/** Returns whether a value nests deeper than `levels`. Stops when `count` has nothing left. */
function nestsDeeper(value: unknown, levels: number, count: Count): boolean {
  if (typeof value !== 'object' || value === null || count.left <= 0) return false
  if (levels === 0) return true
  for (const inner of Array.isArray(value) ? value : Object.values(value))
    if (--count.left <= 0 || nestsDeeper(inner, levels - 1, count)) return count.left > 0
  return false
}

/** Checks whether an object has too many fields beyond `known`. Must run first, because the other checks visit each field. */
export function countFaults(
  object: object,
  known: ReadonlySet<string>,
  path: string,
  fieldsMax: number = LIMITS.metadataKeysMax,
): MetadataFault[] {
  let fields = 0
  for (const name of Object.keys(object)) if (!known.has(name)) fields++
  return fields > fieldsMax
    ? [{ field: path, message: `${path} must not have more than ${fieldsMax} metadata fields` }]
    : []
}

/**
 * Returns the faults of the fields of an open object beyond `known`; `path` is where the object is in the request. The record
 * that is returned has `recordFields`, under which metadata would not be returned, or be mistaken for them.
 */
export function metadataFaults(
  object: Record<string, unknown>,
  known: ReadonlySet<string>,
  path: string,
  recordFields: readonly string[] = [],
): MetadataFault[] {
  const names = Object.keys(object).filter((name) => !known.has(name))
  if (names.length === 0) return []
  const faults = names.flatMap((name): MetadataFault[] => {
    const field = `${path}.${name}`
    const message = `${field} is refused: as metadata it would be hidden by the field "${name}" of the record that is returned; leave it out, or give it another name`
    return recordFields.includes(name) ? [{ field, message }] : []
  })
  return [...faults, ...sizeFaults(Object.fromEntries(names.map((name) => [name, object[name]])), path)]
}

/** Imports check their files in browsers too, which have no `Buffer`. */
const byteLength: (text: string) => number =
  typeof Buffer === 'undefined' ? (text) => new TextEncoder().encode(text).byteLength : Buffer.byteLength

/** Checks whether metadata, or another value that the caller owns, is too long or too deep. */
export function sizeFaults(value: unknown, path: string): MetadataFault[] {
  // Each value has two bytes at least, with its comma.
  const count = new Count(LIMITS.metadataBytesMax / 2)
  if (nestsDeeper(value, LIMITS.metadataDepthMax, count))
    return [{ field: path, message: `${path} must not nest deeper than ${LIMITS.metadataDepthMax} levels` }]
  if (count.left <= 0 || byteLength(JSON.stringify(value)) > LIMITS.metadataBytesMax)
    return [{ field: path, message: `${path} must not have more than ${LIMITS.metadataBytesMax} bytes of metadata` }]
  return []
}
