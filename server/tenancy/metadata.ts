/** Metadata in SQL: merging it, and its bounds after that: many small calls must not build what one call may not send (rules/contract.md#limits, rules/contract.md#merging). */
import { LIMITS } from '#contract/limits.ts'

/** PostgreSQL writes a blank after each comma and colon that the wire does not have. */
const WRITTEN_BYTES_MAX = LIMITS.metadataBytesMax + 8 * 1024

/** Room for the fields that have a meaning beside the metadata, such as those of a profile. */
const KEYS_MAX = LIMITS.metadataKeysMax + 20

/** SQL: whether a jsonb object is within the bounds. */
export const FITS = (object: string): string => /* sql */ `(octet_length(${object}::text) <= ${WRITTEN_BYTES_MAX}
    and (select count(*) from jsonb_object_keys(${object})) <= ${KEYS_MAX})`

/** SQL: `old` with the fields of `changes` in it; a null among those clears its field. */
export const MERGED = (old: string, changes: string): string => /* sql */ `
  ((${old} || ${changes}) - array(select key from jsonb_each(${changes}) where value = 'null'))`

/** The fields of an open object beyond those that have a meaning; ten times as fast as taking the rest of a destructuring. */
export function metadataOf(object: Record<string, unknown>, known: readonly string[]): Record<string, unknown> {
  const metadata: Record<string, unknown> = {}
  for (const name in object) if (!known.includes(name)) metadata[name] = object[name]
  return metadata
}
