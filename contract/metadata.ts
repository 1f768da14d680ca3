/**
 * Open objects (organization, document, user) store fields of the caller's own as metadata. Names that mean something
 * elsewhere in the API, or nearly spell one, are refused: a security field must never become metadata (decisions A3).
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

/** The name among `known` that `name` nearly spells: equal but for case and punctuation, or one or two letters apart. */
export function resembling(name: string, known: Iterable<string>): string | undefined {
  const candidate = plain(name)
  for (const other of known) {
    const target = plain(other)
    if (candidate === target) return other
    const tolerance = target.length < 6 ? 0 : target.length < 9 ? 1 : 2
    if (tolerance > 0 && distance(candidate, target) <= tolerance) return other
  }
  return undefined
}

export interface MetadataFault {
  field: string
  message: string
}

const depthOf = (value: unknown, bound: number): number => {
  if (typeof value !== 'object' || value === null) return 0
  if (bound === 0) return 1
  return 1 + Math.max(0, ...Object.values(value).map((inner) => depthOf(inner, bound - 1)))
}

/** What is wrong with the fields of an open object beyond `known`; `path` is how the caller wrote the object. */
export function metadataFaults(
  object: Record<string, unknown>,
  known: ReadonlySet<string>,
  path: string,
): MetadataFault[] {
  const own = Object.entries(object).filter(([name]) => !known.has(name))
  const faults: MetadataFault[] = []
  for (const [name] of own) {
    const reserved = resembling(name, [...known, ...RESERVED_NAMES])
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

/** Whether an object of the caller's own fields has too many, too long or too deep ones. */
export function sizeFaults(object: Record<string, unknown>, path: string): MetadataFault[] {
  const faults: MetadataFault[] = []
  const fields = Object.keys(object).length
  if (fields > LIMITS.metadataKeysMax)
    faults.push({ field: path, message: `${path} must not have more than ${LIMITS.metadataKeysMax} metadata fields` })
  if (depthOf(object, LIMITS.metadataDepthMax + 1) > LIMITS.metadataDepthMax)
    faults.push({ field: path, message: `${path} must not nest deeper than ${LIMITS.metadataDepthMax} levels` })
  else if (fields > 0 && Buffer.byteLength(JSON.stringify(object)) > LIMITS.metadataBytesMax)
    faults.push({
      field: path,
      message: `${path} must not have more than ${LIMITS.metadataBytesMax} bytes of metadata`,
    })
  return faults
}
