/** Looks at the tables themselves: how many rows there are, and what stands in them. */
import type { Db } from '#platform/db/db.ts'

/** Every table of ours; those of the job queue only when asked for, because it writes on its own. */
async function tables(db: Db, withJobs: boolean): Promise<string[]> {
  const { rows } = await db.query(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
      where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema') order by 1`,
  )
  return (rows as { name: string }[]).map(({ name }) => name).filter((name) => withJobs || !name.startsWith('jobs.'))
}

export async function rowCounts(db: Db): Promise<Record<string, number>> {
  const names = await tables(db, false)
  const { rows } = await db.query(
    names.map((name) => `select '${name}' as name, count(*)::int as count from ${name}`).join(' union all '),
  )
  return Object.fromEntries((rows as { name: string; count: number }[]).map(({ name, count }) => [name, count]))
}

/** Every column of every row as text, bytes both escaped and as hex digits. */
export async function dumpEverything(db: Db): Promise<Record<string, string>> {
  const dump: Record<string, string> = {}
  for (const name of await tables(db, true)) {
    const { rows: columns } = await db.query(
      `select quote_ident(attname) as name, atttypid = 'bytea'::regtype as bytes from pg_attribute
        where attrelid = '${name}'::regclass and attnum > 0 and not attisdropped`,
    )
    const texts = (columns as { name: string; bytes: boolean }[]).flatMap((column) =>
      column.bytes ? [`encode(${column.name}, 'escape')`, `encode(${column.name}, 'hex')`] : [`${column.name}::text`],
    )
    const { rows } = await db.query(`select concat_ws(' ', ${texts.join(', ')}) as row from ${name}`)
    dump[name] = (rows as { row: string }[]).map(({ row }) => row).join('\n')
  }
  return dump
}
