/**
 * SQL as constants. A plain statement takes positional values. A set statement takes rows: its text reads them from
 * `$input`, one array for each column, so that one and a thousand rows share one text and one plan (ADR 0002).
 */

/** PostgreSQL's name of a column's type, as it stands in the cast of its array. */
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
  /** The text asks for the time of tests: its last value, which the caller does not give. */
  readonly timed?: true
  /** Never set; carries the row type. */
  readonly row?: Row
}

export interface SetStatement<Input, Row> extends Statement<Row> {
  readonly columns: readonly (keyof Input & string)[]
}

/** In `text`, `$now` stands for the time of tests, or null (see `clock.ts`); the other values are the caller's. */
export function statement<Row>(name: string, text: string): Statement<Row> {
  if (!text.includes('$now')) return { name, text }
  const values = Math.max(0, ...[...text.matchAll(/\$(\d+)/g)].map(([, position]) => Number(position)))
  return { name, text: text.replaceAll('$now', `$${values + 1}::timestamptz`), timed: true }
}

/**
 * In `text`, `$input` stands for the rows as a table named `item` with the columns in the order given and, last, `ord`
 * (from 1, the order of the rows); `$now` for the time of tests, or null (see `clock.ts`).
 */
export function setStatement<Input, Row>(
  name: string,
  columns: { readonly [Name in keyof Input & string]?: ColumnType },
  text: string,
): SetStatement<Input, Row> {
  const names = Object.keys(columns) as (keyof Input & string)[]
  const arrays = names.map((column, index) => `$${index + 1}::${columns[column]}[]`)
  const input = `unnest(${arrays.join(', ')}) with ordinality as item(${names.map(snakeCase).join(', ')}, ord)`
  return {
    name,
    columns: names,
    text: text.replaceAll('$input', input).replaceAll('$now', `$${names.length + 1}::timestamptz`),
  }
}

/** The values of a set statement: an array for each column, and the time when the text asks for it. */
export function setValues<Input, Row>(
  { columns, text }: SetStatement<Input, Row>,
  rows: readonly Input[],
  now: Date | null,
): unknown[] {
  const values: unknown[] = columns.map((column) => rows.map((row) => row[column]))
  if (text.includes(`$${columns.length + 1}::timestamptz`)) values.push(now)
  return values
}

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
