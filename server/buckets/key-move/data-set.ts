/** The rows of the data set of one API key, in every table that has some, as the catalog of a database describes them. */
import pg from 'pg'
import { streamKey } from '#tenancy/callers/keys.ts'
import { databaseOf, type TableName, tablesWhere } from '#tenancy/tables.ts'

/** Each database has rows of these for keys and for others. */
const ALSO_OF_KEYS: readonly TableName[] = ['events', 'event_streams', 'idempotency_keys']

/** The tables in the order of deletion. */
export const TABLES_OF_KEY = tablesWhere(() => true).filter(
  (table) => databaseOf(table) === 'bucket' || ALSO_OF_KEYS.includes(table),
)

export interface Column {
  name: string
  type: string
}

export interface KeyTable {
  name: TableName
  /** The columns that can be written: generated ones cannot. */
  columns: Column[]
  /** The condition that a row belongs to the key: by a column, or for `event_streams` by the stream of the key. */
  owner: string
  /** The condition for the rows of the key. */
  where: string
}

const COLUMNS = /* sql */ `
  select c.relname as table, a.attname as name, format_type(a.atttypid, a.atttypmod) as type
    from pg_attribute a join pg_class c on c.oid = a.attrelid
   where c.relnamespace = 'public'::regnamespace and c.relname = any ($1) and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
   order by a.attnum`

const OWNERS = ['api_key_id', 'organization_key', 'endpoint_key']

/** Returns the tables with the rows of an API key, in the order of deletion. */
export async function tablesOfKey(client: pg.ClientBase, apiKeyId: string): Promise<KeyTable[]> {
  const { rows } = await client.query<Column & { table: string }>(COLUMNS, [TABLES_OF_KEY])
  const id = pg.escapeLiteral(apiKeyId)
  const stream = streamKey('api key', apiKeyId)
  return TABLES_OF_KEY.map((name) => {
    const columns = rows.flatMap(({ table, ...column }) => (table === name ? [column] : []))
    const owner = OWNERS.find((one) => columns.some((column) => column.name === one)) ?? stream
    const where =
      owner === 'api_key_id'
        ? `api_key_id = ${id}`
        : owner === 'organization_key'
          ? `organization_key in (select o.organization_key from organizations o where o.api_key_id = ${id})`
          : owner === 'endpoint_key'
            ? `endpoint_key in (select e.endpoint_key from webhook_endpoints e where e.api_key_id = ${id})`
            : `stream = ${pg.escapeLiteral(stream)}`
    return { name, columns, owner, where }
  })
}
