/**
 * Copies whole data sets to databases that should not have them, as a wrong restore or an interrupted creation would
 * leave them. A server that queries the wrong database would answer from such a copy, with valid credentials.
 */
import type { Db } from '#platform/db/db.ts'
import type { WithBuckets } from './server-with-buckets.ts'

/** The tables with rows of an API key, in an order in which they can be filled. */
const TABLES = ['api_keys', 'auth_tokens', 'signing_keys', 'organizations'] as const

/** Copies the data sets of all API keys from each database to the others. The names of copied organizations mark them as decoys. */
export async function plantDecoys({ home, buckets }: WithBuckets): Promise<number> {
  const all = [home, ...buckets.map(({ db }) => db)]
  const rows = await Promise.all(all.map(readAll))
  let planted = 0
  for (const [nth, target] of all.entries())
    for (const [other, found] of rows.entries()) if (other !== nth) planted += await plant(target, found)
  return planted
}

async function readAll(db: Db): Promise<Map<string, unknown[]>> {
  const found = new Map<string, unknown[]>()
  for (const table of TABLES) {
    const { rows } = await db.query(`select to_jsonb(t) as row from ${table} t`)
    found.set(
      table,
      (rows as { row: object }[]).map(({ row }) => row),
    )
  }
  return found
}

async function plant(db: Db, found: Map<string, unknown[]>): Promise<number> {
  for (const [table, rows] of found)
    await db.query(`insert into ${table} select * from jsonb_populate_recordset(null::${table}, $1::jsonb)`, [
      JSON.stringify(table === 'organizations' ? rows.map((row) => ({ ...(row as object), name: 'a decoy' })) : rows),
    ])
  return found.get('api_keys')?.length ?? 0
}
