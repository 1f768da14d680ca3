/** Bounds the bytes of results: their rows are bounded in number, but one can hold 64 KB of metadata. */
import { LIMITS } from '#contract/limits.ts'

/**
 * Wraps the select of a page. Of its rows, in its order, it returns those that begin within the bytes of a page, so at least the
 * first; the last of them says with `hasNext` whether there are more. `columns` hold what can be large. Compressed values count
 * uncompressed; only these are read for that.
 */
export const withinBytes = (select: string, ...columns: string[]): string =>
  withinBytesMax(LIMITS.pageBytesMax, select, ...columns)

/** The same for another number of bytes. */
export const withinBytesMax = (bytesMax: number, select: string, ...columns: string[]): string => /* sql */ `
  select page.* from (
    select p.*, lead(true) over () is not null as "hasNext",
           sum(${columns.map(sizeOf).join(' + ')}) over (rows between unbounded preceding and 1 preceding) as "bytesBefore"
      from (${select}) p
  ) page
   where "bytesBefore" is null or "bytesBefore" < ${bytesMax}`

const sizeOf = (column: string): string => /* sql */ `
             case when p.${column} is null then 0 when pg_column_compression(p.${column}) is null then pg_column_size(p.${column})
                  else octet_length(p.${column}::text) end`
