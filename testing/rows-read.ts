/** Counts the rows that a statement reads from tables and indexes: a cost that does not depend on the machine. */
import type { Db } from '#platform/db/db.ts'
import type { Statement } from '#platform/db/statement.ts'

interface Node {
  'Node Type': string
  'Actual Rows': number
  'Actual Loops': number
  Plans?: Node[]
}

const rowsOf = (node: Node): number =>
  (/^(Seq|Index|Index Only|Bitmap Heap) Scan$/.test(node['Node Type'])
    ? node['Actual Rows'] * node['Actual Loops']
    : 0) + (node.Plans ?? []).reduce((sum, inner) => sum + rowsOf(inner), 0)

/** Runs a statement with the values that its caller passes, and returns how many rows it has read. */
export async function rowsRead(db: Db, { text, timed }: Statement<unknown>, values: unknown[]): Promise<number> {
  const { rows } = await db.query(`explain (analyze, format json) ${text}`, timed ? [...values, null] : values)
  const [explained] = rows as { 'QUERY PLAN': { Plan: Node }[] }[]
  const { Plan: plan } = explained?.['QUERY PLAN'][0] ?? {}
  if (plan === undefined) throw new Error('no plan')
  return Math.round(rowsOf(plan))
}
