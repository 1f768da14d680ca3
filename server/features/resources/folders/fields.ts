/**
 * The SQL of the fields that callers of folders set freely. Rows have them in one object, `fields`, under the names of the
 * API; in `resources` each has a column. A new field is one line in `STORED`.
 */
import type { FOLDER_FIELDS } from '#contract/resources/folders.ts'
import type { ColumnType } from '#platform/db/statement.ts'

const STORED: Readonly<Record<keyof typeof FOLDER_FIELDS, { column: string; type: ColumnType }>> = {
  folderName: { column: 'name', type: 'text' },
}

const list = (sqlOf: (name: string, column: string, type: string) => string): string =>
  Object.entries(STORED)
    .map(([name, { column, type }]) => sqlOf(name, column, type))
    .join(', ')

/** The columns. */
export const COLUMNS = list((_, column) => column)

/** The values of `COLUMNS` in the object `fields`. */
export const VALUES = list((name, _, type) => `(fields->>'${name}')::${type}`)

/** The values of `COLUMNS` in a row that could not be inserted. */
export const EXCLUDED = list((_, column) => `excluded.${column}`)

/** The object that the row `r` of `resources` holds. */
export const FIELDS = `jsonb_build_object(${list((name, column) => `'${name}', r.${column}`)})`
