/**
 * SQL statements as constants. A plain statement takes positional values. A set statement takes rows: its text reads them
 * from `$input`, one array for each column, so that one row and a thousand share one text and one plan (ADR 0002).
 */

/** The present time: that of tests (see `clock.ts`), or of the database. It can differ between two uses in one statement. */
export const NOW = 'coalesce($now, clock_timestamp())'

/** The PostgreSQL type of a column, used in the cast of its array. */
export type ColumnType =
  | 'bigint'
  | 'boolean'
  | 'bytea'
  | 'int'
  | 'jsonb'
  | 'text'
  | 'timestamptz'
  | 'uuid'
  | 'resource_kind'
  | 'access_role'
  | 'access_type'

export interface Statement<Row> {
  readonly name: string
  readonly text: string
  /** The text uses `$now`: its last value, which the caller does not pass. */
  readonly timed?: true
  /** Never set; carries the row type. */
  readonly row?: Row
}

export interface SetStatement<Input, Row> extends Statement<Row> {
  readonly columns: readonly (keyof Input & string)[]
  /** Columns with one value for all rows of a `req`, which is sent once. */
  readonly requestColumns: readonly (keyof Input & string)[]
}

type Columns<Input> = { readonly [Name in keyof Input & string]?: ColumnType }

/** Returns a statement. In `text`, `$now` is the time of tests, or null (see `clock.ts`); the caller passes the other values. */
export function statement<Row>(name: string, text: string): Statement<Row> {
  if (!text.includes('$now')) return { name, text }
  const values = Math.max(0, ...[...text.matchAll(/\$(\d+)/g)].map(([, position]) => Number(position)))
  return { name, text: text.replaceAll('$now', `$${values + 1}::timestamptz`), timed: true }
}

/**
 * Returns a set statement. In `text`, `$input` is a table named `item` of the rows, with the columns in the given order and,
 * last, `ord`, the number of the row from 1. In statements with `requestColumns`, `$requests` is a table named `request`
 * with these columns and `req`. `$now` is the time of tests, or null (see `clock.ts`).
 */
export function setStatement<Input, Row>(
  name: string,
  columns: Columns<Input>,
  text: string,
  requestColumns: Columns<Input> = {},
): SetStatement<Input, Row> {
  const all = Object.entries({ ...columns, ...requestColumns })
  const table = (chosen: Columns<Input>, as: string): string => {
    const names = Object.keys(chosen)
    const arrays = names.map((column) => {
      const at = all.findIndex(([other]) => other === column)
      return `$${at + 1}::${all[at]?.[1]}[]`
    })
    return `unnest(${arrays.join(', ')}) with ordinality as ${as}(${names.map(snakeCase).join(', ')}, ord)`
  }
  return {
    name,
    columns: Object.keys(columns) as (keyof Input & string)[],
    requestColumns: Object.keys(requestColumns) as (keyof Input & string)[],
    text: text
      .replaceAll('$input', table(columns, 'item'))
      .replaceAll(
        '$requests',
        () => `(select ord - 1 as req, shared.* from ${table(requestColumns, 'shared')}) request`,
      )
      .replaceAll('$now', `$${all.length + 1}::timestamptz`),
  }
}

/** Returns the values of a set statement: an array for each column, and the time if the text uses it. */
export function setValues<Input, Row>(
  { columns, requestColumns, text }: SetStatement<Input, Row>,
  rows: readonly Input[],
  now: Date | null,
): unknown[] {
  const values: unknown[] = columns.map((column) => arrayOf(rows.map((row) => row[column])))
  if (requestColumns.length > 0) {
    const firsts = firstOfEachRequest(rows as readonly { req: number }[]) as unknown as Input[]
    values.push(...requestColumns.map((column) => arrayOf(firsts.map((row) => row[column]))))
  }
  if (text.includes(`$${values.length + 1}::timestamptz`)) values.push(now)
  return values
}

/**
 * Returns the text of a PostgreSQL array if its elements are plain, otherwise the values, which the driver serializes. The
 * driver inspects each element several times: with a thousand rows per call that took a fifth of the server's CPU time.
 */
function arrayOf(values: readonly unknown[]): string | readonly unknown[] {
  const elements: string[] = []
  let previous: unknown
  for (const value of values) {
    if (value === null || value === undefined) elements.push('NULL')
    else if (typeof value === 'string') elements.push(quoted(value))
    else if (typeof value === 'boolean' || typeof value === 'number') elements.push(String(value))
    else if (value instanceof Date && value.getUTCFullYear() > 0 && value.getUTCFullYear() < 10_000)
      elements.push(`"${value.toISOString()}"`)
    else if (value === previous) elements.push(elements.at(-1) ?? '')
    else if (isPlainObject(value)) elements.push(quoted(JSON.stringify(value)))
    else return values
    previous = value
  }
  return `{${elements.join()}}`
}

/** Whether a value of a JSON column is an object: the rows of a call often share one, such as the actor. */
const isPlainObject = (value: unknown): value is object => Object.getPrototypeOf(value) === Object.prototype

const quoted = (text: string): string => (/["\\]/.test(text) ? `"${text.replaceAll(/["\\]/g, '\\$&')}"` : `"${text}"`)

/** Returns the first row of each request, indexed by `req`. */
function firstOfEachRequest<Row extends { req: number }>(rows: readonly Row[]): Row[] {
  const firsts: Row[] = []
  for (const row of rows) firsts[row.req] ??= row
  return firsts
}

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
