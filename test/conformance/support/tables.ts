/** Reads the tables directly: the number of rows, and their contents. */
import type { Db } from '#platform/db/db.ts'
import { databasesOf } from '#testing/buckets.ts'

/** Tables that change by themselves: followers of events, and counts. */
const IN_THE_BACKGROUND =
  /^public\.(event_followers|mails|invitation_mails|webhook_(endpoints|deliveries|attempts)|usage_(days|hours))$/

interface Table {
  name: string
  /** SQL of each of its columns as text, bytes both escaped and as hex digits. */
  texts: string
}

/** Returns our tables that only calls write, or all of them. */
async function tables(db: Db, which: 'calls' | 'all'): Promise<Table[]> {
  const { rows } = await db.query(
    `select format('%I.%I', n.nspname, c.relname) as name,
            string_agg(format(case when a.atttypid = 'bytea'::regtype then 'encode(%1$I, ''escape''), encode(%1$I, ''hex'')'
                                   else '%I::text' end, a.attname), ', ' order by a.attnum) as texts
       from pg_class c
       join pg_namespace n on n.oid = c.relnamespace and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')
       join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where c.relkind = 'r' group by 1 order by 1`,
  )
  return (rows as Table[]).filter(({ name }) => which === 'all' || !IN_THE_BACKGROUND.test(name))
}

/** Reads each database of a server, and adds up the results. */
async function inAll<Value>(
  db: Db,
  read: (db: Db) => Promise<Record<string, Value>>,
  add: (one: Value, other: Value) => Value,
): Promise<Record<string, Value>> {
  const [first = {}, ...others] = await Promise.all(databasesOf(db).map(read))
  for (const other of others)
    for (const [name, value] of Object.entries(other))
      first[name] = name in first ? add(first[name] as Value, value) : value
  return first
}

/** Adds up texts: an empty one changes nothing. */
const joined = (one: string, other: string): string => [one, other].filter((text) => text !== '').join('\n')

export const rowCounts = (db: Db) => inAll(db, countsOf, (one, other) => one + other)

async function countsOf(db: Db): Promise<Record<string, number>> {
  const names = (await tables(db, 'calls')).map(({ name }) => name)
  const { rows } = await db.query(
    names.map((name) => `select '${name}' as name, count(*)::int as count from ${name}`).join(' union all '),
  )
  return Object.fromEntries((rows as { name: string; count: number }[]).map(({ name, count }) => [name, count]))
}

/** Returns the number of rows of each table that only calls write, and a sum of the hashes of all their columns. */
export const fingerprintOfCalls = (db: Db) => inAll(db, (one) => fingerprintOf(one), joined)

/**
 * Returns the same of the rows that name an API key or one of its organizations; not of auth tokens, whose last use is
 * written in the background.
 */
export const fingerprintOfKey = (db: Db, apiKey: string) =>
  inAll(
    db,
    async (one) => {
      const { rows } = await one.query(
        `select organization_key::text as name from organizations where api_key_id = $1`,
        [apiKey],
      )
      const names = [apiKey, ...(rows as { name: string }[]).map(({ name }) => name)].join('|')
      return fingerprintOf(one, `line ~ '${names}' and name <> 'public.auth_tokens'`)
    },
    joined,
  )

/** Of the rows for which `where` holds, a condition on `name`, the table, and `line`, its columns. */
async function fingerprintOf(db: Db, where = 'true'): Promise<Record<string, string>> {
  const each = (await tables(db, 'calls')).map(
    ({ name, texts }) =>
      `select '${name}' as name, count(*) || ' ' || coalesce(sum(hashtextextended(line, 0)), 0) as rows
         from (select '${name}' as name, concat_ws(' ', ${texts}) as line from ${name}) as lines where ${where}`,
  )
  const { rows } = await db.query(each.join(' union all '))
  return Object.fromEntries((rows as { name: string; rows: string }[]).map((one) => [one.name, one.rows]))
}

/** Returns every column of every row of every table. */
export const dumpEverything = (db: Db): Promise<Record<string, string>> => inAll(db, (one) => dump(one, 'all'), joined)

/** Returns every row of the tables that only calls write. */
export const dumpOfCalls = (db: Db): Promise<Record<string, string>> => inAll(db, (one) => dump(one, 'calls'), joined)

/** The rows are in order of their text. */
async function dump(db: Db, which: 'calls' | 'all'): Promise<Record<string, string>> {
  const each = (await tables(db, which)).map(
    ({ name, texts }) =>
      `select '${name}' as name, (select string_agg(line, E'\\n' order by line)
                                    from (select concat_ws(' ', ${texts}) as line from ${name}) as lines) as rows`,
  )
  const { rows } = await db.query(each.join(' union all '))
  return Object.fromEntries((rows as { name: string; rows: string | null }[]).map((one) => [one.name, one.rows ?? '']))
}
