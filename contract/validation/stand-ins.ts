/**
 * Recognizes unknown names that may stand for a field without which a call would do more, whatever their case and
 * punctuation: `orgids` for `organizationIds` (rules/contract.md#unknown-fields).
 */
import { suggestsAccess } from '../access/access-words.ts'
import { plain, resembling } from '../core/metadata.ts'
import { oncePerSchema, type SchemaNode, someSchema } from './schema.ts'

/** Shorter parts of a name are not compared: they are in many names by chance. */
const COMPARED_LETTERS_MIN = 3

const singular = (word: string): string => word.replace(/s$/, '')

/** The words of a name in lower case, without the s of a plural: `orgIds` has `org` and `id`. */
const wordsOf = (name: string): string[] =>
  name.split(/(?=[A-Z])|[^A-Za-z]+/).map((word) => singular(word.toLowerCase()))

const limitsWithin = (schema: SchemaNode): string[] => [
  ...(schema.narrowing ?? []),
  ...[...(schema.items === undefined ? [] : [schema.items]), ...Object.values(schema.properties ?? {})].flatMap(
    limitsWithin,
  ),
]

interface Limits {
  names: readonly string[]
  words: readonly string[]
}

const withWords = (names: readonly string[]): Limits => ({ names, words: [...new Set(names.flatMap(wordsOf))] })

/** The names that limit what a call does, and their words: of an object itself, and of the objects within it. */
const limitsOf = oncePerSchema((schema) => ({
  own: withWords(schema.narrowing ?? []),
  inner: withWords(limitsWithin({ ...schema, narrowing: [] })),
}))

/** Names under which clients write what a call is limited to, whatever it is. */
const LIMITING = /^(?:in|on|for|only|within|where|scopes?|filters?|conditions?|resources?|targets?|select(?:or)?)$/

/** Returns whether a name has one of the words, or the beginning of one, such as `org` or `docs`. */
function hasWordOf({ words }: Limits, name: string): boolean {
  if (words.length === 0) return false
  const text = plain(name)
  if (LIMITING.test(text)) return true
  const parts = [...wordsOf(name), singular(text)]
  if (words.includes('id') && /ids?$/.test(text)) return true
  return (
    words.some((word) => word.length >= COMPARED_LETTERS_MIN && text.includes(word)) ||
    parts.some(
      (part) =>
        words.includes(part) ||
        resembling(part, words) !== undefined ||
        (part.length >= COMPARED_LETTERS_MIN && words.some((word) => word.startsWith(part))),
    )
  )
}

/** Returns whether a name is `id` or `ids`, and a list of ids that would limit the call is absent. */
const meansAbsentIds = ({ names }: Limits, object: object, name: string): boolean =>
  /^ids?$/.test(plain(name)) && names.some((limit) => limit.endsWith('Ids') && !Object.hasOwn(object, limit))

/**
 * Returns whether a name may stand for a field that limits what the call does: it nearly spells one that is absent, or a
 * filter of the call that reads the same things, or it has a word of one, such as `ids` or `threadIds` instead of
 * `annotationIds`, while the object has none of these fields. An update of settings does only what its fields say.
 */
export function mayLimit(schema: SchemaNode, object: object, name: string): boolean {
  const { own, inner } = limitsOf(schema)
  if (hasWordOf(inner, name) || meansAbsentIds(own, object, name)) return true
  const { readFilters = [] } = schema
  if (readFilters.includes(name) || resembling(name, readFilters) !== undefined) return true
  const meant = resembling(name, own.names)
  if (meant !== undefined && !Object.hasOwn(object, meant)) return true
  if (schema.minProperties !== undefined || own.names.some((limit) => Object.hasOwn(object, limit))) return false
  return hasWordOf(own, name)
}

const PREVIEWING_NAMES = ['dryRun']
const PREVIEW = /dryrun|^dry|preview|simulat|rehears|whatif|noop|(?:validate|validation|check|test)only|testrun/

/** Returns whether a name says that the call should change nothing. Without a preview, the call would be made. */
export const meansPreview = (name: string): boolean =>
  PREVIEW.test(plain(name)) || resembling(name, PREVIEWING_NAMES) !== undefined

/** Matches the plain form of names that say who may see something, such as `visibilityConfig` in a call without it. */
const HIDING = /visib|^(?:is)?private$|privacy/

/** Returns whether a name says who may see what the call writes. Without effect, others would see it too. */
export const meansHidden = (name: string): boolean => HIDING.test(plain(name))

/** Matches the plain form of names that say how long something lasts. */
const EXPIRY = /expir|^ttl|ttl$|until|validfor|validto|lifetime/

const gives = oncePerSchema((schema) =>
  someSchema(
    schema,
    ({ properties: { accessRole, accessType, expiresAt } = {} }) => accessRole ?? accessType ?? expiresAt,
  ),
)

/** Returns whether a field may stand for the end of what is given, or for its role or access type. */
export const meansLess = (name: string, value: unknown): boolean =>
  EXPIRY.test(plain(name)) || suggestsAccess(name, value)

/** Returns whether a field may stand for the end of what the call gives, or for its role or access type. */
export const mayRestrict = (schema: SchemaNode, name: string, value: unknown): boolean =>
  gives(schema) && meansLess(name, value)
