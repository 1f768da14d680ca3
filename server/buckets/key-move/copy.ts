/**
 * Copies the data set of an API key from one database to another, in one transaction of each: the copied rows appear in
 * the target all at once, or not at all. Rows are read and written in the text forms of their values, as `COPY` does.
 */
import pg from 'pg'
import { JOIN_CLOCK } from '#tenancy/events/clock-steps.ts'
import type { TableName } from '#tenancy/tables.ts'
import { first } from '../move/servers.ts'
import type { Column, KeyTable } from './data-set.ts'

const ROWS_PER_STEP = 1_000

/** Numbers that each database gives out for all of its keys: a copy gets others, in the same order. */
const RENUMBERED: Partial<Record<TableName, string>> = {
  webhook_attempts: 'attempt_key',
  webhook_deliveries: 'position',
}

/** Triggers write the rows of this table together with the rows that they describe. */
const DERIVED: readonly TableName[] = ['search_entries']

/** Copies everything of the key; nobody may change it meanwhile. Returns when it is durable in the target. */
export async function copyKey(
  source: pg.ClientBase,
  target: pg.ClientBase,
  { apiKeyId, tables, say }: { apiKeyId: string; tables: readonly KeyTable[]; say: (line: string) => void },
): Promise<void> {
  const text = `set local statement_timeout = 0; set local bytea_output = hex`
  await source.query(`begin isolation level repeatable read read only; ${text}`)
  await target.query(`begin; ${text}; set local synchronous_commit = on`)
  try {
    // Rows that the key left here when it was here before: events of its workspace, which move with it.
    await target.query(`delete from events where api_key_id = ${pg.escapeLiteral(apiKeyId)}`)
    let endpoints = new Map<string, string>()
    for (const table of [...tables].reverse()) {
      if (DERIVED.includes(table.name)) continue
      if (table.name === 'webhook_endpoints') endpoints = await newEndpoints(source, target, table)
      const count = await copyTable(source, target, table, endpoints)
      const [there, here] = [await countOf(source, table), await countOf(target, table)]
      if (count !== there || count !== here)
        throw new Error(`${table.name}: ${there} rows, of which ${count} were read and ${here} are there`)
      if (count > 0) say(`${table.name}: ${count} ${count === 1 ? 'row' : 'rows'}`)
    }
    await copyClock(source, target)
    await target.query('commit')
    await source.query('commit')
  } catch (error) {
    await source.query('rollback').catch(() => {})
    await target.query('rollback').catch(() => {})
    throw error
  }
}

/** The target learns in which times the order of the copied events says nothing. */
async function copyClock(source: pg.ClientBase, target: pg.ClientBase): Promise<void> {
  const clock = await first<{ reached: Text; repeated: Text }>(
    source,
    'select reached::text, repeated::text from database_clock',
  )
  if (clock !== undefined) await target.query(JOIN_CLOCK, [clock.reached, clock.repeated])
}

const countOf = async (client: pg.ClientBase, { name, where }: KeyTable): Promise<number> =>
  Number((await first<{ count: string }>(client, `select count(*) from ${name} where ${where}`))?.count)

/** Returns the key of the target for each endpoint of the source. */
async function newEndpoints(
  source: pg.ClientBase,
  target: pg.ClientBase,
  { where }: KeyTable,
): Promise<Map<string, string>> {
  const { rows } = await source.query(
    `select endpoint_key::text as key from webhook_endpoints where ${where} order by 1`,
  )
  const numbers = new Map<string, string>()
  for (const { key } of rows) {
    const next = `select nextval(pg_get_serial_sequence('webhook_endpoints', 'endpoint_key'))::text as key`
    numbers.set(key, (await first<{ key: string }>(target, next))?.key ?? '')
  }
  return numbers
}

type Text = string | null

async function copyTable(
  source: pg.ClientBase,
  target: pg.ClientBase,
  { name, columns: all, where }: KeyTable,
  endpoints: ReadonlyMap<string, string>,
): Promise<number> {
  const number = RENUMBERED[name]
  const columns = all.filter((column) => column.name !== number)
  const texts = columns.map((column) => `${pg.escapeIdentifier(column.name)}::text`).join(', ')
  const order = number === undefined ? '' : `order by ${pg.escapeIdentifier(number)}`
  await source.query(`declare copied no scroll cursor for select ${texts} from ${name} where ${where} ${order}`)
  const insert = insertInto(name, columns)
  const endpoint = columns.findIndex((column) => column.name === 'endpoint_key')
  let count = 0
  for (;;) {
    const { rows } = await source.query<Text[]>({ text: `fetch ${ROWS_PER_STEP} from copied`, rowMode: 'array' })
    if (rows.length === 0) break
    const valuesOf = (nth: number) => rows.map((row) => row[nth] ?? null)
    const values = columns.map((_, nth) =>
      nth === endpoint ? valuesOf(nth).map((key) => endpoints.get(key ?? '') ?? null) : valuesOf(nth),
    )
    await target.query(insert, values)
    count += rows.length
  }
  await source.query('close copied')
  return count
}

const insertInto = (table: string, columns: readonly Column[]): string => {
  const names = columns.map((_, nth) => `c${nth}`)
  return `insert into ${table} (${columns.map(({ name }) => pg.escapeIdentifier(name)).join(', ')}) overriding system value
    select ${columns.map(({ type }, nth) => `given.c${nth}::${type}`).join(', ')}
      from unnest(${columns.map((_, nth) => `$${nth + 1}::text[]`).join(', ')}) as given (${names.join(', ')})`
}
