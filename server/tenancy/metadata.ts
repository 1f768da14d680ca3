/**
 * Merges metadata in SQL and checks its limits afterwards: many small calls must not exceed the limits of one call
 * (rules/contract.md#limits, rules/contract.md#merging).
 */
import { LIMITS } from '#contract/core/limits.ts'

/** Matches a string in the text of a jsonb value. */
const STRING = String.raw`"(?:[^"\\]|\\.)*"`

/**
 * Returns SQL of the bytes that a jsonb value has in a request. PostgreSQL writes a space after each comma and colon,
 * which a request does not have: a list of small numbers gets half as long again.
 */
const BYTES = (object: string): string => /* sql */ `(octet_length(${object}::text)
      - (select length(signs) - length(replace(signs, ' ', ''))
           from regexp_replace(${object}::text, '${STRING}', '', 'g') signs))`

/**
 * Returns SQL that checks that metadata is within the limits of one call, so that the record can be written back. What
 * is unchanged fits: an earlier version stored a little more. Most metadata is short enough with all spaces.
 */
export const FITS = (metadata: string, before: string): string => /* sql */ `(${metadata} = ${before} or (
    case when octet_length(${metadata}::text) <= ${LIMITS.metadataBytesMax} then true
         else ${BYTES(metadata)} <= ${LIMITS.metadataBytesMax} end
    and (select count(*) from jsonb_object_keys(${metadata})) <= ${LIMITS.metadataKeysMax}))`

/** Returns SQL that merges the fields of `changes` into `old`. A null removes its field. */
export const MERGED = (old: string, changes: string): string => /* sql */ `
  ((${old} || ${changes}) - array(select key from jsonb_each(${changes}) where value = 'null'))`

/** Returns the fields of an object except the known ones. Ten times as fast as rest destructuring. */
export function metadataOf(object: Record<string, unknown>, known: readonly string[]): Record<string, unknown> {
  const metadata: Record<string, unknown> = {}
  for (const name in object) if (!known.includes(name)) metadata[name] = object[name]
  return metadata
}
