/**
 * Seals again, with the current master key, what earlier ones have sealed. Servers may work meanwhile: a value is replaced
 * only if it is still the one that was read, each batch commits by itself, and an interrupted run is simply started again.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '#platform/db/db.ts'
import type { Sealer } from '#platform/secrets/seal.ts'
import { nameOfColumn, type SealedColumn } from './columns.ts'

/** Values that one statement finds. */
const FOUND_ROWS = 50_000
/** Values that one statement replaces: stored answers of calls may be large. */
const BATCH_ROWS = 200
/** Before the next pass over a table if others are changing all values that the last one found. */
const WAIT_MS = 200

const isOld = ({ column }: SealedColumn, mark: string) =>
  `${column} is not null and substring(${column} from 1 for octet_length(${mark})) <> ${mark}`

/** Returns how many values of a column an earlier key has sealed. */
export async function countEarlier(db: Pick<Db, 'query'>, sealer: Sealer, column: SealedColumn): Promise<number> {
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
  db: Pick<Db, 'query'>,
  sealer: Sealer,
  column: SealedColumn,
  onBatch: (resealed: number) => void = () => {},
): Promise<Resealed> {
  for (let resealed = 0; ; ) {
    const pass = await passOver(db, sealer, column, (done) => onBatch(resealed + done))
    resealed += pass.resealed
    // Rows that a server has changed meanwhile are at other places: the next pass finds them.
    if (pass.found === pass.unreadable) return { resealed, unreadable: pass.unreadable }
    if (pass.resealed === 0) await sleep(WAIT_MS)
  }
}

/** Goes once through the table, in the order in which it is stored. */
async function passOver(
  db: Pick<Db, 'query'>,
  sealer: Sealer,
  column: SealedColumn,
  onBatch: (resealed: number) => void,
): Promise<Resealed & { found: number }> {
  const text = `select ctid::text as at from ${column.table} where ctid > $2::tid and ${isOld(column, '$1::bytea')}
                 order by ctid limit ${FOUND_ROWS}`
  const pass = { found: 0, resealed: 0, unreadable: 0 }
  for (let last: string | undefined = '(0,0)'; last !== undefined; ) {
    const { rows } = await db.query(text, [sealer.mark, last])
    const places = (rows as { at: string }[]).map(({ at }) => at)
    for (let from = 0; from < places.length; from += BATCH_ROWS) {
      const batch = await resealBatch(db, sealer, column, places.slice(from, from + BATCH_ROWS))
      pass.resealed += batch.resealed
      pass.unreadable += batch.unreadable
      onBatch(pass.resealed)
    }
    pass.found += places.length
    last = places.length < FOUND_ROWS ? undefined : places.at(-1)
  }
  return pass
}

async function resealBatch(
  db: Pick<Db, 'query'>,
  sealer: Sealer,
  column: SealedColumn,
  places: string[],
): Promise<Resealed> {
  const { table, column: name, row, sealedAs = nameOfColumn(column) } = column
  const { rows } = await db.query(
    `select ctid::text as at, ${row} as row, ${name} as sealed from ${table}
      where ctid = any($2::tid[]) and ${isOld(column, '$1::bytea')}`,
    [sealer.mark, places],
  )
  const found = rows as { at: string; row: string; sealed: Buffer }[]
  const values = found.flatMap(({ at, row, sealed }) => {
    const context = { column: sealedAs, row }
    const secret = readable(() => sealer.open(sealed, context))
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

/** Returns what `open` does, or undefined if no given key opens it. */
function readable(open: () => string): string | undefined {
  try {
    return open()
  } catch {
    return undefined
  }
}
