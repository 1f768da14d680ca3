/**
 * The URL of a bucket on Citus: that of the coordinator, with the name of the bucket's distributed schema in `citus_schema`. Servers
 * connect straight to the node that has it (ADR 0069).
 */
import { readPostgresUrl } from '#platform/db/postgres-url.ts'

const SCHEMA = 'citus_schema'

/** The schemas of a bucket on Citus. */
export interface Schemas {
  /** The distributed one, with the tables. */
  tables: string
  /** Types and functions, on every node. */
  names: string
  /** Sequences, which each node has of its own. */
  numbers: string
  /** On the node that serves, and nowhere else: a view of each table. */
  here: string
  /** The name of that schema on a node that the bucket was moved away from. */
  left: string
}

export interface CitusAddress {
  /** The URL of the coordinator, as drivers read it. */
  coordinator: string
  schemas: Schemas
}

const schemaOf = (bucket: string): string => `commonhold_${bucket.replaceAll('-', '_')}`

export const citusUrl = (coordinator: string, bucket: string): string =>
  withParameter(coordinator, SCHEMA, schemaOf(bucket))

/** Returns where a bucket on Citus is registered; undefined if the URL is that of a database of its own. */
export function readCitusUrl(url: string): CitusAddress | undefined {
  const [address = '', query] = url.split('?', 2)
  const parameters = new URLSearchParams(query)
  const tables = parameters.get(SCHEMA)
  if (tables === null) return undefined
  parameters.delete(SCHEMA)
  const rest = parameters.toString()
  return {
    coordinator: `${address}${rest === '' ? '' : `?${rest}`}`,
    schemas: {
      tables,
      names: `${tables}_names`,
      numbers: `${tables}_numbers`,
      here: `${tables}_here`,
      left: `${tables}_left`,
    },
  }
}

export interface Node {
  host: string
  port: number
}

/** Returns the URL of a node, with the user, the database and the parameters of that of the coordinator. */
export function nodeUrl(coordinator: string, { host, port }: Node): string {
  const [first] = readPostgresUrl(coordinator)
  return withParameter(withParameter(first.url, 'host', host), 'port', String(port))
}

export const withSearchPath = (url: string, schemas: readonly string[]): string =>
  withParameter(url, 'options', `-c search_path=${schemas.join(',')}`)

/** libpq reads a plus as itself. */
function withParameter(url: string, name: string, value: string): string {
  const [address = '', query] = url.split('?', 2)
  const kept = (query ?? '').split('&').filter((one) => one !== '' && !one.startsWith(`${name}=`))
  return `${address}?${[...kept, `${name}=${encodeURIComponent(value)}`].join('&')}`
}
