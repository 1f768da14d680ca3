/**
 * Lists where each table stands, and the statements that touch tables of the home database together with tables of a bucket
 * (ADR 0066). There is none: each statement runs in one database. The list is golden, so another one is seen in the diff.
 */
import type { Statement } from '#platform/db/statement.ts'
import { DATABASES, databaseOf, type TableName, tablesWhere } from '#tenancy/tables.ts'

const NAMES = tablesWhere(() => true)

/** The tables that a text reads or writes, by the words before their names; a name that the text itself defines is none. */
function tablesIn(text: string): TableName[] {
  return NAMES.filter(
    (name) =>
      new RegExp(`\\b(?:from|join|into|update|using)\\s+(?:only\\s+)?${name}\\b`).test(text) &&
      !new RegExp(`\\b${name}\\s+as\\s+(?:not\\s+)?(?:materialized\\s+)?\\(`).test(text),
  )
}

export function databasesPage(statements: readonly Statement<unknown>[]): string {
  const crossing = statements.flatMap(({ name, text }) => {
    const tables = tablesIn(text)
    const inDatabase = (database: string) => tables.filter((table) => databaseOf(table) === database).sort()
    const [home, bucket] = [inDatabase('home'), inDatabase('bucket')]
    return home.length > 0 && bucket.length > 0 ? [`${name}: ${home.join(', ')} | ${bucket.join(', ')}\n`] : []
  })
  return [
    ...DATABASES.map((database) => {
      const tables = NAMES.filter((table) => databaseOf(table) === database).sort()
      return `${database}, ${tables.length} tables: ${tables.join(', ')}\n`
    }),
    `\n${crossing.length} of ${statements.length} statements touch tables of the home database (before the bar) and of a bucket.\n`,
    ...crossing,
  ].join('')
}
