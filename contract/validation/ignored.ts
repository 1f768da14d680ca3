/**
 * Decides which fields of a request are ignored, and which are refused: unknown fields, and fields of features that are not
 * offered (rules/contract.md#unknown-fields, rules/contract.md#features-not-offered).
 */
import { PROTECTING_NAMES } from '../access/access-words.ts'
import { resembling } from '../core/metadata.ts'
import { besidesNull, knownNames, propertyOf, type SchemaNode, within } from './schema.ts'
import { mayLimit, mayRestrict, meansHidden, meansPreview } from './stand-ins.ts'

/**
 * Unknown fields of a request are `refused`; or `ignored`, unless they may be misspelt (`STRICT_FIELDS=false`); or all are
 * `dropped`, as AuthZEN demands. This is about the request itself: unknown fields of the items of a list are always refused.
 */
export type UnknownFields = 'refused' | 'ignored' | 'dropped'

/** Returns whether a value says that a feature is not used. */
export const isOff = (value: unknown): boolean =>
  value === null || value === false || value === '' || (typeof value === 'object' && Object.keys(value).length === 0)

/** The parent of a folder decides which access type it inherits: at the top it may be open to everyone. */
const PLACING_NAME = 'parentFolderId'

/**
 * Returns whether a name may be a misspelling of a field that is missing, or of one that protects: ignoring it could
 * widen the effect of the call.
 */
function mayBeMisspelt(schema: SchemaNode, object: object, name: string): boolean {
  const known = resembling(name, knownNames(schema))
  return (known !== undefined && !Object.hasOwn(object, known)) || name === PLACING_NAME
}

/** Returns whether a field that is not null may stand for a preview, or for a field that protects, at any level of the request. */
const mayProtect = (schema: SchemaNode, name: string, value: unknown): boolean =>
  value !== null &&
  (resembling(name, PROTECTING_NAMES) !== undefined ||
    meansPreview(name) ||
    meansHidden(name) ||
    mayRestrict(schema, name, value))

function isIgnored(schema: SchemaNode, object: Record<string, unknown>, name: string, unknown: UnknownFields): boolean {
  if (schema.unimplemented?.includes(name)) return isOff(object[name]) || unknown !== 'refused'
  if (unknown !== 'ignored') return unknown === 'dropped'
  return mayBeIgnored(schema, object, name, object[name])
}

/**
 * Returns whether lax mode may ignore an unknown field beside the fields of `object`. The names in its value count too:
 * `options: { dryRun: true }` is a preview that the caller has written in the wrong place.
 */
export function mayBeIgnored(schema: SchemaNode, object: object, name: string, value: unknown): boolean {
  if (mayLimit(schema, object, name)) return false
  if (value !== null && mayBeMisspelt(schema, object, name)) return false
  if (mayProtect(schema, name, value)) return false
  return innerFields(value).every(
    ([name, value]) => !mayLimit(schema, object, name) && !mayProtect(schema, name, value),
  )
}

const INNER_LEVELS_MAX = 3
const INNER_FIELDS_MAX = 1_000

/** Returns the fields within a value, to a depth and number beyond which nobody writes options. */
function innerFields(value: unknown, levels = INNER_LEVELS_MAX): [string, unknown][] {
  if (typeof value !== 'object' || value === null || levels === 0) return []
  const fields = Object.entries(value).slice(0, INNER_FIELDS_MAX)
  const inner = fields.flatMap(([, inner]) => innerFields(inner, levels - 1))
  return [...(Array.isArray(value) ? [] : fields), ...inner].slice(0, INNER_FIELDS_MAX)
}

/** Removes the ignored fields of a request, and adds the names of ignored fields with a value to `ignored`. */
export function ignoreFields(schema: SchemaNode, value: unknown, unknown: UnknownFields, ignored: string[]): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return
  const object = value as Record<string, unknown>
  for (const name of Object.keys(object)) {
    const inner = propertyOf(schema, name)
    if (inner !== undefined) {
      const before = ignored.length
      ignoreFields(besidesNull(inner), object[name], unknown, ignored)
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
    const found = unimplementedField(besidesNull(node), object[inner], within(at, inner))
    if (found !== undefined) return found
  }
  return undefined
}

/** Says that a field asks for a feature that is not offered. */
export const unimplementedMessage = (field: string): string =>
  `${field} belongs to a feature that Commonhold does not have; leave it out, or set STRICT_FIELDS=false to have such fields ignored.`
