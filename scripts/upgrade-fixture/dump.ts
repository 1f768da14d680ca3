/** A whole store as SQL that an empty database runs: the schema, then the rows of every table. */
import type { Db } from '#platform/db/db.ts'
import { type TableName, tablesWhere } from '#tenancy/tables.ts'
import { schemaAsSql } from '../generated/schema.ts'

const COLUMNS = `
  select attname as name, attidentity <> '' as identity from pg_attribute
   where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`

/** The dump leaves out the queue: its work is queued again from our rows, and its tables belong to its package. */
export async function dumpOf(db: Db): Promise<string> {
  // The dump already contains the rows that triggers would add again.
  const parts = [await schemaAsSql(db), 'SET session_replication_role = replica;']
  for (const table of tablesWhere(() => true).reverse()) parts.push(await rowsOf(db, table))
  parts.push('RESET session_replication_role; RESET check_function_bodies;')
  return parts.join('\n')
}

async function rowsOf(db: Db, table: TableName): Promise<string> {
  const columns = (await db.query(COLUMNS, [table])).rows as { name: string; identity: boolean }[]
  const values = columns.map(({ name }) => `quote_nullable(${name}::text)`)
  const { rows } = await db.query(`select concat_ws(', ', ${values.join(', ')}) as row from ${table} order by 1`)
  if (rows.length === 0)
    throw new Error(`The store has no row in ${table}: let scripts/upgrade-fixture/fill.ts make one.`)
  const lines = (rows as { row: string }[]).map(({ row }) => `  (${row})`)
  const names = columns.map(({ name }) => name).join(', ')
  const insert = `INSERT INTO ${table} (${names}) OVERRIDING SYSTEM VALUE VALUES\n${lines.join(',\n')};\n`
  const sequences = columns.flatMap(({ name, identity }) =>
    identity ? [`SELECT setval(pg_get_serial_sequence('${table}', '${name}'), max(${name})) FROM ${table};\n`] : [],
  )
  return insert + sequences.join('')
}
