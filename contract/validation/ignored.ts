/**
 * Decides which fields of a request are ignored, and which are refused: unknown fields, and fields of features that are not
 * offered (rules/contract.md#unknown-fields, rules/contract.md#features-not-offered).
 */
import { PROTECTING_NAMES } from '../access/access-words.ts'
import { resembling } from '../core/metadata.ts'
import { knownNames, propertyOf, type SchemaNode, within } from './schema.ts'

/**
 * Unknown fields of a request are `refused`; or `ignored`, unless they may be misspelt (`STRICT_FIELDS=false`); or all are
 * `dropped`, as AuthZEN demands. This is about the request itself: unknown fields of the items of a list are always refused.
 */
export type UnknownFields = 'refused' | 'ignored' | 'dropped'

/** Returns whether a value says that a feature is not used. */
const isOff = (value: unknown): boolean =>
  value === null || value === false || value === '' || (typeof value === 'object' && Object.keys(value).length === 0)

/** The parent of a folder decides which access type it inherits: at the top it may be open to everyone. */
const PLACING_NAME = 'parentFolderId'

/** Without it a call changes something, also a call that has no preview. */
const PREVIEWING_NAMES = ['dryRun']

/** The words of a name in lower case, without the s of a plural: `orgIds` has `org` and `id`. */
const wordsOf = (name: string): string[] =>
  name.split(/(?=[A-Z])|[^A-Za-z]+/).map((word) => word.toLowerCase().replace(/s$/, ''))

/**
 * Returns whether a name may stand for a field that limits what the call does, while the call has none of these fields. It has a word of
 * one of them, such as `ids` or `threadIds` instead of `annotationIds`. An update of settings does only what its fields say.
 */
function mayLimit({ narrowing = [], minProperties }: SchemaNode, object: object, name: string): boolean {
  if (minProperties !== undefined || narrowing.some((limit) => Object.hasOwn(object, limit))) return false
  const words = new Set(narrowing.flatMap(wordsOf))
  return wordsOf(name).some((word) => words.has(word))
}

/**
 * Returns whether a name may be a misspelling of a field that is missing, or of one that protects: ignoring it could
 * widen the effect of the call.
 */
function mayBeMisspelt(schema: SchemaNode, object: object, name: string): boolean {
  const known = resembling(name, knownNames(schema))
  if (known !== undefined && !Object.hasOwn(object, known)) return true
  return (
    name === PLACING_NAME ||
    resembling(name, PROTECTING_NAMES) !== undefined ||
    resembling(name, PREVIEWING_NAMES) !== undefined
  )
}

function isIgnored(schema: SchemaNode, object: Record<string, unknown>, name: string, unknown: UnknownFields): boolean {
  if (schema.unimplemented?.includes(name)) return isOff(object[name]) || unknown !== 'refused'
  if (unknown !== 'ignored') return unknown === 'dropped'
  return !mayLimit(schema, object, name) && (object[name] === null || !mayBeMisspelt(schema, object, name))
}

/** Removes the ignored fields of a request, and adds the names of ignored fields with a value to `ignored`. */
export function ignoreFields(schema: SchemaNode, value: unknown, unknown: UnknownFields, ignored: string[]): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return
  const object = value as Record<string, unknown>
  for (const name of Object.keys(object)) {
    const inner = propertyOf(schema, name)
    if (inner !== undefined) {
      const before = ignored.length
      ignoreFields(inner, object[name], unknown, ignored)
      for (let nth = before; nth < ignored.length; nth++) ignored[nth] = within(name, ignored[nth] as string)
    } else if (schema.additionalProperties === false && isIgnored(schema, object, name, unknown)) {
      if (!(schema.unimplemented?.includes(name) && isOff(object[name]))) ignored.push(name)
      delete object[name]
    }
  }
}

/** Returns the field that asks for a feature that is not offered, or undefined. */
export function unimplementedField(schema: SchemaNode, data: unknown, at = ''): string | undefined {
  if (typeof data !== 'object' || data === null) return undefined
  const object = data as Record<string, unknown>
  const name = schema.unimplemented?.find((known) => Object.hasOwn(object, known) && !isOff(object[known]))
  if (name !== undefined) return within(at, name)
  for (const [inner, node] of Object.entries(schema.properties ?? {})) {
    const found = unimplementedField(node, object[inner], within(at, inner))
    if (found !== undefined) return found
  }
  return undefined
}

/** Says that a field asks for a feature that is not offered. */
export const unimplementedMessage = (field: string): string =>
  `${field} belongs to a feature that Commonhold does not have; leave it out, or set STRICT_FIELDS=false to have such fields ignored.`
