/**
 * Open objects (organization, document, user) store other fields as metadata. A name that has a meaning elsewhere in the
 * API, or is a likely misspelling of one, is refused: a security field must never become metadata (rules/contract.md#metadata).
 */
import { distance } from 'fastest-levenshtein'
import { LIMITS } from './limits.ts'

/** Names with a meaning somewhere in the API; refused wherever they have none. */
export const RESERVED_NAMES = [
  'id',
  'accessType',
  'accessRole',
  'role',
  'expiresAt',
  'disabled',
  'folderId',
  'parentFolderId',
  'organizationId',
  'documentId',
  'userId',
  'permissions',
  'resources',
  'inheritFromParent',
  'inheritAccessFromParent',
  'createdAt',
  'lastUpdated',
  'migratedTo',
  'apiKey',
  'authToken',
  'requireKnownResources',
] as const

const plain = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')

/** Longer names are not compared: that would cost more than it helps. */
const COMPARED_CHARACTERS_MAX = 64

interface Target {
  text: string
  /** How many letters a name may differ from this one and still count as a misspelling of it. */
  tolerance: number
}

/** A cache for the few names that the API knows: one call compares up to 100,000 names with them. */
const targets = new Map<string, Target>()

function targetOf(known: string): Target {
  const text = plain(known)
  const target = { text, tolerance: text.length < 6 ? 0 : text.length < 9 ? 1 : 2 }
  targets.set(known, target)
  return target
}

/** Returns the name among `known` that `name` resembles: equal except for case and punctuation, or one or two letters apart. */
export function resembling(name: string, known: Iterable<string>): string | undefined {
  if (name.length > COMPARED_CHARACTERS_MAX) return undefined
  const candidate = plain(name)
  for (const other of known) {
    const { text, tolerance } = targets.get(other) ?? targetOf(other)
    if (candidate === text) return other
    if (tolerance === 0 || Math.abs(candidate.length - text.length) > tolerance) continue
    if (distance(candidate, text) <= tolerance) return other
  }
  return undefined
}

/** Returns the name with a meaning, here or elsewhere in the API, that `name` equals or resembles. */
export const meantBy = (name: string, known: ReadonlySet<string>): string | undefined =>
  resembling(name, known) ?? resembling(name, RESERVED_NAMES)

export interface MetadataFault {
  field: string
  message: string
}

function nestsDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  for (const inner of Array.isArray(value) ? value : Object.values(value))
    if (nestsDeeper(inner, levels - 1)) return true
  return false
}

/** Checks whether an object has too many fields beyond `known`. Must run first, because the other checks visit each field. */
export function countFaults(object: object, known: ReadonlySet<string>, path: string): MetadataFault[] {
  let fields = 0
  for (const name of Object.keys(object)) if (!known.has(name)) fields++
  return fields > LIMITS.metadataKeysMax
    ? [{ field: path, message: `${path} must not have more than ${LIMITS.metadataKeysMax} metadata fields` }]
    : []
}

/** Returns the faults of the fields of an open object beyond `known`; `path` is where the object is in the request. */
export function metadataFaults(
  object: Record<string, unknown>,
  known: ReadonlySet<string>,
  path: string,
): MetadataFault[] {
  const own = Object.entries(object).filter(([name]) => !known.has(name))
  const faults: MetadataFault[] = []
  for (const [name] of own) {
    const reserved = meantBy(name, known)
    if (reserved !== undefined)
      faults.push({
        field: `${path}.${name}`,
        message: known.has(reserved)
          ? `${path}.${name} is not a known field; did you mean "${reserved}"?`
          : `${path}.${name} is refused: "${reserved}" has a meaning elsewhere in this API and none here, so it cannot be metadata`,
      })
  }
  return [...faults, ...sizeFaults(Object.fromEntries(own), path)]
}

/** Checks whether the metadata is too long or too deep. */
export function sizeFaults(object: Record<string, unknown>, path: string): MetadataFault[] {
  if (nestsDeeper(object, LIMITS.metadataDepthMax))
    return [{ field: path, message: `${path} must not nest deeper than ${LIMITS.metadataDepthMax} levels` }]
  if (Object.keys(object).length > 0 && Buffer.byteLength(JSON.stringify(object)) > LIMITS.metadataBytesMax)
    return [{ field: path, message: `${path} must not have more than ${LIMITS.metadataBytesMax} bytes of metadata` }]
  return []
}
