/** Counts the rows that a statement reads from tables and indexes: a cost that does not depend on the machine. */
import type { Session } from '#platform/db/db.ts'
import type { Statement } from '#platform/db/statement.ts'

interface Node {
  'Node Type': string
  'Actual Rows': number
  'Actual Loops': number
  /** The rows that a scan has read and does not return. */
  'Rows Removed by Filter'?: number
  Plans?: Node[]
}

const rowsOf = (node: Node): number =>
  (/^(Seq|Index|Index Only|Bitmap Heap) Scan$/.test(node['Node Type'])
    ? (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
    : 0) + (node.Plans ?? []).reduce((sum, inner) => sum + rowsOf(inner), 0)

/** Runs a statement with the values that its caller passes, and returns how many rows it has read. */
export async function rowsRead(
  db: Pick<Session, 'query'>,
  { text, timed }: Statement<unknown>,
  values: unknown[],
): Promise<number> {
  const { rows } = await db.query(`explain (analyze, format json) ${text}`, timed ? [...values, null] : values)
  return rowsOfPlan(rows)
}

/**
 * The same with the plan that the server uses after some calls, which fits all values. The session is in a transaction, which ends with
 * the prepared statement.
 */
export async function rowsReadByAnyValues(
  session: Pick<Session, 'query'>,
  { text, timed }: Statement<unknown>,
  values: unknown[],
): Promise<number> {
  await session.query('set local plan_cache_mode = force_generic_plan')
  await session.query(`prepare counted as ${text}`)
  const given = (timed ? [...values, null] : values).map(literal).join(', ')
  const { rows } = await session.query(
    `explain (analyze, format json) execute counted${given === '' ? '' : `(${given})`}`,
  )
  await session.query('deallocate counted')
  return rowsOfPlan(rows)
}

function rowsOfPlan(rows: unknown[]): number {
  const [explained] = rows as { 'QUERY PLAN': { Plan: Node }[] }[]
  const { Plan: plan } = explained?.['QUERY PLAN'][0] ?? {}
  if (plan === undefined) throw new Error('no plan')
  return Math.round(rowsOf(plan))
}

/** Returns a value as SQL says it. */
function literal(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (Array.isArray(value))
    return literal(`{${value.map((item) => (item === null ? 'null' : JSON.stringify(String(item)))).join()}}`)
  const text =
    value instanceof Date ? value.toISOString() : typeof value === 'object' ? JSON.stringify(value) : String(value)
  return `'${text.replaceAll("'", "''")}'`
}
