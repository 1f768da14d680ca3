/**
 * Lists the statements that touch tables of an organization together with tables of the installation. Only the others could
 * run where an organization is alone. The list is golden: a new entry is seen in the diff.
 */
import type { Statement } from '#platform/db/statement.ts'
import { TABLES, type TableName, tablesWhere } from '#tenancy/tables.ts'

const NAMES = tablesWhere(() => true)

/** The tables that a text reads or writes, by the words before their names; a name that the text itself defines is none. */
function tablesIn(text: string): TableName[] {
  return NAMES.filter(
    (name) =>
      new RegExp(`\\b(?:from|join|into|update|using)\\s+(?:only\\s+)?${name}\\b`).test(text) &&
      !new RegExp(`\\b${name}\\s+as\\s+(?:not\\s+)?(?:materialized\\s+)?\\(`).test(text),
  )
}

export function sharedStatements(statements: readonly Statement<unknown>[]): string {
  const shared = statements.flatMap(({ name, text }) => {
    const tables = tablesIn(text)
    const of = (owner: string) => tables.filter((table) => TABLES[table].belongsTo === owner).sort()
    const [installation, organization] = [of('installation'), of('organization')]
    return installation.length > 0 && organization.length > 0
      ? [`${name}: ${installation.join(', ')} | ${organization.join(', ')}\n`]
      : []
  })
  return [
    `${shared.length} of ${statements.length} statements touch tables of the installation (before the bar) and of an organization.\n\n`,
    ...shared,
  ].join('')
}
