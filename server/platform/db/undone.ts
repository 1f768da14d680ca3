/** Work in a transaction that is rolled back: a preview makes a change, reads its result, and undoes it. */
import type { Session } from './db.ts'

/** Runs `work` in the transaction of the session, undoes what it changed, and returns its result. */
export async function undone<Result>(session: Session, work: () => Promise<Result>): Promise<Result> {
  await session.query('savepoint undone')
  const result = await work()
  await session.query('rollback to savepoint undone; release savepoint undone')
  return result
}
