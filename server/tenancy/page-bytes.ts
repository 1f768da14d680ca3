/** Bounds the bytes of results: the number of rows is bounded, but a single row can hold 64 KB of metadata. */
import { LIMITS } from '#contract/core/limits.ts'
import { StatusError } from '#platform/status-error.ts'

/**
 * Wraps the select of a page. Returns the rows, in the same order, that begin within the bytes of a page, so at least the
 * first; `hasNext` of the last row says whether there are more. `columns` are the columns that can be large. A byte of them can
 * become six bytes of a response, if characters are escaped.
 */
export const withinPage = (select: string, ...columns: string[]): string =>
  withinBytes(LIMITS.pageBytesMax, select, ...columns)

/** Wraps the select of the records that a call names, for `assertComplete`. */
export const withinResponse = (select: string, ...columns: string[]): string =>
  withinBytes(LIMITS.responseBytesMax, select, ...columns)

/** Throws RESOURCE_EXHAUSTED if some of the named records are missing, because together they exceed the bytes of a response. */
export function assertComplete(rows: readonly { hasNext: boolean }[]): void {
  if (rows.at(-1)?.hasNext !== true) return
  const message = `The metadata of these records exceeds ${LIMITS.responseBytesMax / 2 ** 20} MiB, the limit of one response; request fewer of them in one call.`
  throw new StatusError('RESOURCE_EXHAUSTED', 'too_many_bytes', message)
}

const withinBytes = (bytesMax: number, select: string, ...columns: string[]): string => /* sql */ `
  select page.* from (
    select p.*, lead(true) over () is not null as "hasNext",
           sum(${columns.map(sizeOf).join(' + ')}) over (rows between unbounded preceding and 1 preceding) as "bytesBefore"
      from (${select}) p
  ) page
   where "bytesBefore" is null or "bytesBefore" < ${bytesMax}`

/** Writing all values as text would make a page of small records cost a quarter more. Their bytes are few, however they are escaped. */
const SMALL_BYTES = 500

const sizeOf = (column: string): string => /* sql */ `
             case when p.${column} is null then 0
                  when pg_column_compression(p.${column}) is null and pg_column_size(p.${column}) < ${SMALL_BYTES}
                    then pg_column_size(p.${column})
                  else octet_length(p.${column}::text) end`
