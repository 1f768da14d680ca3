/**
 * Raises the transaction counter of the target above that of the source. Snapshots in page tokens and of followers are compared with
 * the numbers of later transactions: on a server with a lower counter, later events would count as read (ADR 0018).
 */
import type pg from 'pg'
import { first } from './servers.ts'

/** More would make PostgreSQL freeze old rows early, and take minutes. */
const RAISED_MAX = 50_000_000
/** What the source may add until the switch. */
const MARGIN = 20_000
const STEP = 100_000

export const nextTransaction = async (client: pg.ClientBase): Promise<number> =>
  Number((await first<{ next: string }>(client, 'select pg_snapshot_xmax(pg_current_snapshot())::text as next'))?.next)

/** Each pass uses a number and writes nothing but that it is committed. */
const USE_NUMBERS = (count: number) => /* sql */ `
  do $$ begin for nth in 1..${count} loop perform pg_current_xact_id(); commit; end loop; end $$`

/** Returns whether the counter of the target is ahead now: false if the distance is too great. */
export async function raiseCounter(
  source: pg.ClientBase,
  target: pg.ClientBase,
  say: (line: string) => void,
): Promise<boolean> {
  const distance = async () => (await nextTransaction(source)) + MARGIN - (await nextTransaction(target))
  const began = await distance()
  if (began > RAISED_MAX) {
    say(
      `The transaction counter of the new server is ${began} behind. Events are renumbered when it opens, and page tokens of events become invalid.`,
    )
    return false
  }
  if (began > STEP) say(`Raising the transaction counter of the new server by ${began}.`)
  await target.query('set synchronous_commit = off')
  for (let left = began; left > 0; left = await distance()) await target.query(USE_NUMBERS(Math.min(left, STEP)))
  await target.query('reset synchronous_commit')
  return true
}
