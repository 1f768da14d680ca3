/**
 * Seals again, with the current master key, what earlier ones have sealed. Servers may work meanwhile: a value is replaced
 * only if it is still the one that was read, each batch commits by itself, and an interrupted run is simply started again.
 */
import type { Sealer } from '#platform/secrets/seal.ts'
import { nameOfColumn, type SealedColumn } from './columns.ts'

/** A `Db`, or a connection of the driver. */
export interface Queryable {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>
}

/** Values that are looked for in one pass over a table. */
const PASS_ROWS = 50_000
/** Values in one statement: stored answers of calls may be large. */
const BATCH_ROWS = 200

const isOld = ({ column }: SealedColumn, mark: string) =>
  `${column} is not null and substring(${column} from 1 for octet_length(${mark})) <> ${mark}`

/** Returns how many values of a column an earlier key has sealed. */
export async function countEarlier(db: Queryable, sealer: Sealer, column: SealedColumn): Promise<number> {
  const { rows } = await db.query(
    `select count(*)::int as count from ${column.table} where ${isOld(column, '$1::bytea')}`,
    [sealer.mark],
  )
  return (rows as { count: number }[])[0]?.count ?? 0
}

interface Resealed {
  resealed: number
  /** Values that no given key opens. They are left as they are. */
  unreadable: number
}

/** Seals all values of a column again that an earlier key has sealed. `onBatch` gets their number so far. */
export async function resealColumn(
  db: Queryable,
  sealer: Sealer,
  column: SealedColumn,
  onBatch: (resealed: number) => void = () => {},
): Promise<Resealed> {
  const text = `select ctid::text as at from ${column.table} where ${isOld(column, '$1::bytea')} limit ${PASS_ROWS}`
  for (let resealed = 0; ; ) {
    const places = ((await db.query(text, [sealer.mark])).rows as { at: string }[]).map(({ at }) => at)
    let unreadable = 0
    for (let from = 0; from < places.length; from += BATCH_ROWS) {
      const batch = await resealBatch(db, sealer, column, places.slice(from, from + BATCH_ROWS))
      resealed += batch.resealed
      unreadable += batch.unreadable
      onBatch(resealed)
    }
    // Rows that a server has changed meanwhile are at other places: the next pass finds them.
    if (places.length === unreadable) return { resealed, unreadable }
  }
}

async function resealBatch(db: Queryable, sealer: Sealer, column: SealedColumn, places: string[]): Promise<Resealed> {
  const { table, column: name, row, sealedAs = nameOfColumn(column) } = column
  const { rows } = await db.query(
    `select ctid::text as at, ${row} as row, ${name} as sealed from ${table}
      where ctid = any($2::tid[]) and ${isOld(column, '$1::bytea')}`,
    [sealer.mark, places],
  )
  const found = rows as { at: string; row: string; sealed: Buffer }[]
  const values = found.flatMap(({ at, row, sealed }) => {
    const context = { column: sealedAs, row }
    const secret = openedOr(() => sealer.open(sealed, context))
    return secret === undefined ? [] : [{ at, was: sealed, becomes: sealer.seal(secret, context) }]
  })
  // Rows that somebody is changing are left to the next pass: waiting for them could end in a deadlock.
  const { rows: replaced } = await db.query(
    `with held as materialized (
       select t.ctid as at, value.becomes
         from unnest($1::tid[], $2::bytea[], $3::bytea[]) as value(at, was, becomes) join ${table} t on t.ctid = value.at
        where t.${name} = value.was for no key update of t skip locked
     ), replaced as (
       update ${table} t set ${name} = held.becomes from held where t.ctid = held.at returning 1
     )
     select count(*)::int as count from replaced`,
    [values.map(({ at }) => at), values.map(({ was }) => was), values.map(({ becomes }) => becomes)],
  )
  return {
    resealed: (replaced as { count: number }[])[0]?.count ?? 0,
    unreadable: found.length - values.length,
  }
}

function openedOr(open: () => string): string | undefined {
  try {
    return open()
  } catch {
    return undefined // sealed with a key that was not given, or damaged
  }
}
