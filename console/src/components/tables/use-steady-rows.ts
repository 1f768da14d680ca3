/** The rows of a table, steady while somebody reads them. */
import { useState } from 'react'
import type { Rows } from '../../queries/pages/rows.ts'
import { accepted, NOTHING, ROWS_MAX, type State, stateAfter, steady } from './steady-rows.ts'

interface SteadyRows<Row> {
  rows: Rows<Row>
  isGone: (id: string) => boolean
  /** Changes that are not shown yet. */
  changes: number
  /** Shows them. */
  show: () => void
}

export function useSteadyRows<Row>(rows: Rows<Row>, idOf: (row: Row) => string): SteadyRows<Row> {
  const [state, setState] = useState<State<Row>>(NOTHING)
  const next = rows.source === undefined || rows.count > ROWS_MAX ? NOTHING : stateAfter(state, rows, idOf)
  if (next !== state) setState(next)
  const { gone, waiting } = next
  const changes = gone.size + waiting
  return {
    rows: changes === 0 ? rows : steady(rows, next, idOf),
    isGone: (id) => gone.has(id),
    changes,
    show: () => setState(accepted(rows)),
  }
}
