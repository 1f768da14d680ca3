/** Reads the tables themselves: the number of rows, and their contents. */
import type { Db } from '#platform/db/db.ts'

/** What moves on its own: what follows events. */
const IN_THE_BACKGROUND = /^public\.(event_followers|mails|webhook_(endpoints|deliveries|attempts))$/

/** Returns our tables that only calls write, or all of them. */
async function tables(db: Db, which: 'calls' | 'all'): Promise<string[]> {
  const { rows } = await db.query(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
      where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema') order by 1`,
  )
  return (rows as { name: string }[])
    .map(({ name }) => name)
    .filter((name) => which === 'all' || !IN_THE_BACKGROUND.test(name))
}

export async function rowCounts(db: Db): Promise<Record<string, number>> {
  const names = await tables(db, 'calls')
  const { rows } = await db.query(
    names.map((name) => `select '${name}' as name, count(*)::int as count from ${name}`).join(' union all '),
  )
  return Object.fromEntries((rows as { name: string; count: number }[]).map(({ name, count }) => [name, count]))
}

/** Returns every column of every row of every table as text, bytes both escaped and as hex digits. */
export const dumpEverything = (db: Db): Promise<Record<string, string>> => dump(db, 'all')

/** Returns every row of the tables that only calls write. */
export const dumpOfCalls = (db: Db): Promise<Record<string, string>> => dump(db, 'calls')

async function dump(db: Db, which: 'calls' | 'all'): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const name of await tables(db, which)) {
    const { rows: columns } = await db.query(
      `select quote_ident(attname) as name, atttypid = 'bytea'::regtype as bytes from pg_attribute
        where attrelid = '${name}'::regclass and attnum > 0 and not attisdropped`,
    )
    const texts = (columns as { name: string; bytes: boolean }[]).flatMap((column) =>
      column.bytes ? [`encode(${column.name}, 'escape')`, `encode(${column.name}, 'hex')`] : [`${column.name}::text`],
    )
    const { rows } = await db.query(`select concat_ws(' ', ${texts.join(', ')}) as row from ${name}`)
    found[name] = (rows as { row: string }[]).map(({ row }) => row).join('\n')
  }
  return found
}
