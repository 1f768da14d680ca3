/** Shared by the processes that die at a given step: the step, the store, and the counting of steps in its transactions. */
import { writeSync } from 'node:fs'
import { setImmediate as immediate } from 'node:timers/promises'
import { databaseClock } from '#platform/clock.ts'
import type { Db, Session } from '#platform/db/db.ts'
import { openEmbedded } from '#platform/db/embedded.ts'
import { openPostgres } from '#platform/db/postgres.ts'
import type { Config } from '../../server/config.ts'

/**
 * The step, from 1; null: run to the end. `before` dies instead of sending it, `during` while it waits for the response.
 */
export type DieAt = { step: number; when: 'before' | 'during' } | null

/** Counts a step, and dies at the given one, after it has printed the steps: a slow run can have others. */
export type TakeStep = <T>(name: string, take: () => Promise<T>) => Promise<T>

export function openStore({ DATABASE_URL, DATA_DIR }: Config): Promise<Db> {
  return DATABASE_URL === undefined
    ? openEmbedded(DATA_DIR, databaseClock)
    : openPostgres(DATABASE_URL, databaseClock, { connections: 5, statementTimeoutMs: 30_000 })
}

export function countSteps(dieAt: DieAt): { steps: string[]; step: TakeStep } {
  const steps: string[] = []
  const die = () => {
    writeSync(process.stdout.fd, `${JSON.stringify(steps)}\n`)
    process.kill(process.pid, 'SIGKILL')
  }
  return {
    steps,
    step: async (name, take) => {
      steps.push(name)
      if (dieAt?.step !== steps.length) return take()
      if (dieAt.when === 'before') die()
      const taken = take()
      setImmediate(die)
      return taken
    },
  }
}

/** Wraps the database so that each statement of a transaction and its commit is a step. */
export function stepping(opened: Db, step: TakeStep): Db {
  const watched = (session: Session): Session => ({
    run: (statement, values) => step(statement.name, () => session.run(statement, values)),
    runSet: (set, rows) => step(set.name, () => session.runSet(set, rows)),
    query: (text, values) => step('query', () => session.query(text, values)),
  })
  return Object.create(opened, {
    run: { value: opened.run.bind(opened) } satisfies { value: Db['run'] },
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

/** Prints the steps that were seen, and exits. */
export async function printSteps(steps: readonly string[]): Promise<never> {
  await immediate() // a pending death comes first: the embedded engine may have finished everything else in one turn
  process.stdout.write(`${JSON.stringify(steps)}\n`)
  process.exit(0)
}
