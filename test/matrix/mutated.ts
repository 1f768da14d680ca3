/** A database that runs mutants of statements, for the tests that check what random worlds catch. */
import type { Db, Session } from '#platform/db/db.ts'
import type { SetStatement, Statement } from '#platform/db/statement.ts'

/** A change of one place of the SQL text, like a typical mistake. */
export interface Mutant {
  right: string
  wrong: string
}

export interface Mutating {
  /** Returns the same database, which runs the statements of the active mutant. */
  through(db: Db): Db
  /** Runs `work` while the mutant is active. Throws if `work` ran no statement that the mutant changes. */
  during<T>(mutant: Mutant | undefined, work: () => Promise<T>): Promise<T>
}

type Transaction = (work: (session: Session) => Promise<unknown>, ...options: unknown[]) => Promise<unknown>

export function createMutating(): Mutating {
  let active: Mutant | undefined
  let matched = false
  const serials = new Map<Mutant, number>()

  function mutated<S extends { name: string; text: string }>(statement: S): S {
    if (active === undefined || !statement.text.includes(active.right)) return statement
    matched = true
    const serial = serials.get(active) ?? serials.size
    serials.set(active, serial)
    const text = statement.text.replaceAll(active.right, active.wrong)
    return { ...statement, name: `${statement.name}.${serial}`, text }
  }

  const wrapped = <Wrapped extends Session>(session: Wrapped): Wrapped =>
    new Proxy(session, {
      get(target, property) {
        const value = Reflect.get(target, property, target)
        if (property === 'run')
          return (statement: Statement<unknown>, values: readonly unknown[]) => target.run(mutated(statement), values)
        if (property === 'runSet')
          return (statement: SetStatement<unknown, unknown>, rows: readonly unknown[]) =>
            target.runSet(mutated(statement), rows)
        if (property === 'transaction')
          return (work: (inner: Session) => Promise<unknown>, ...options: unknown[]) =>
            (target as unknown as { transaction: Transaction }).transaction((inner) => work(wrapped(inner)), ...options)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })

  return {
    through: wrapped,
    async during(mutant, work) {
      active = mutant
      matched = false
      try {
        const result = await work()
        if (mutant !== undefined && !matched) throw new Error(`no statement says: ${mutant.right}`)
        return result
      } finally {
        active = undefined
      }
    },
  }
}
