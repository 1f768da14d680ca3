/** Counts the rows that calls read: for tests that a call about few records costs the same beside many others. */
import type { Db, Session } from '#platform/db/db.ts'
import { type SetStatement, type Statement, setValues } from '#platform/db/statement.ts'
import { rowsReadByAnyValues } from './rows-read.ts'

type Run = readonly [statement: Statement<unknown>, values: readonly unknown[], given?: number]

/** Remembers the statements that a server runs by `run` and `runSet`, also in transactions. */
export function recordStatements() {
  let runs: Run[] = []

  const recorded = <Target extends Session>(session: Target): Target =>
    new Proxy(session, {
      get(target, property) {
        const value = Reflect.get(target, property, target)
        if (typeof value !== 'function') return value
        if (property === 'run')
          return (statement: Statement<unknown>, values: readonly unknown[] = []) => {
            runs.push([statement, values])
            return target.run(statement, values)
          }
        if (property === 'runSet')
          return (statement: SetStatement<object, unknown>, rows: readonly object[]) => {
            runs.push([statement, setValues(statement, rows, null), rows.length])
            return target.runSet(statement, rows)
          }
        if (property === 'transaction')
          return (work: (session: Session) => Promise<unknown>, options: object) =>
            (target as unknown as Db).transaction((inner) => work(recorded(inner)), options)
        return value.bind(target)
      },
    })

  return {
    through: (db: Db): Db => recorded(db),

    /** Returns how many rows each run of a set statement was given since the last work that was counted. */
    given: (name: string): number[] =>
      runs.flatMap(([statement, , given]) => (statement.name === name ? [given ?? 0] : [])),

    /**
     * Returns the rows that the statements of `work` read whose names match: each runs once more, without effect. The workers of the
     * server run statements at any time, so the names must tell those of the call apart.
     */
    async rowsOf(db: Db, names: RegExp, work: () => Promise<unknown>): Promise<number> {
      runs = []
      await work()
      const own = runs.filter(([{ name }]) => names.test(name))
      if (own.length === 0) throw new Error(`no statement ${names} has run`)
      let rows = 0
      for (const [statement, values] of own) {
        const undone = new Error('undone')
        await db
          .transaction(async (session) => {
            rows += await rowsReadByAnyValues(session, statement, [...values])
            throw undone
          })
          .catch((error: unknown) => {
            if (error !== undone) throw error
          })
      }
      return rows
    },
  }
}
