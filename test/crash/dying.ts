/** What processes that die at a given step share: where they die, their store, and how its transactions count steps. */
import { setImmediate as immediate } from 'node:timers/promises'
import { databaseClock } from '#platform/clock.ts'
import type { Db, Session } from '#platform/db/db.ts'
import { openEmbedded } from '#platform/db/embedded.ts'
import { openPostgres } from '#platform/db/postgres.ts'
import type { Config } from '../../server/config.ts'

/**
 * The step, from 1; null: run to the end. `before` dies instead of sending it, `during` while its answer is awaited.
 */
export type DieAt = { step: number; when: 'before' | 'during' } | null

/** Counts a step, and dies when it is the one. */
export type TakeStep = <T>(name: string, take: () => Promise<T>) => Promise<T>

export function openStore({ DATABASE_URL, DATA_DIR }: Config): Promise<Db> {
  return DATABASE_URL === undefined
    ? openEmbedded(DATA_DIR, databaseClock)
    : openPostgres(DATABASE_URL, databaseClock, { connections: 5, statementTimeoutMs: 30_000 })
}

export function countSteps(dieAt: DieAt): { steps: string[]; step: TakeStep } {
  const steps: string[] = []
  return {
    steps,
    step: async (name, take) => {
      steps.push(name)
      if (dieAt?.step !== steps.length) return take()
      if (dieAt.when === 'before') process.kill(process.pid, 'SIGKILL')
      const taken = take()
      setImmediate(() => process.kill(process.pid, 'SIGKILL'))
      return taken
    },
  }
}

/** The database with transactions of which each statement and the commit are a step. */
export function stepping(opened: Db, step: TakeStep): Db {
  const watched = (session: Session): Session => ({
    run: (statement, values) => step(statement.name, () => session.run(statement, values)),
    runSet: (set, rows) => step(set.name, () => session.runSet(set, rows)),
    query: (text, values) => step('query', () => session.query(text, values)),
  })
  return Object.create(opened, {
    transaction: {
      value: (work, options) =>
        opened.transaction(async (session) => {
          const answer = await work(watched(session))
          // The commit follows as soon as this returns, so that `during` dies with it under way.
          await step('commit', async () => {})
          return answer
        }, options),
    } satisfies { value: Db['transaction'] },
  })
}

/** Names the steps that were seen, and ends. */
export async function tellSteps(steps: readonly string[]): Promise<never> {
  await immediate() // a death that is due comes first: the embedded engine may have done all the rest in one turn
  process.stdout.write(`${JSON.stringify(steps)}\n`)
  process.exit(0)
}
