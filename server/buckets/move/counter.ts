/**
 * Raises the transaction counter of the target above that of the source. Snapshots in page tokens and of followers are compared with
 * the numbers of later transactions: on a server with a lower counter, later events would count as read (ADR 0018).
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { first, MoveRefused } from './servers.ts'

/** More would make PostgreSQL freeze old rows early, and take minutes. */
const RAISED_MAX = 50_000_000
/** The number of transactions that the source may add until the switch. */
const MARGIN = 20_000
const STEP = 100_000

export const nextTransaction = async (client: pg.ClientBase): Promise<number> =>
  Number((await first<{ next: string }>(client, 'select pg_snapshot_xmax(pg_current_snapshot())::text as next'))?.next)

/** Each pass uses a number and writes nothing but that it is committed. */
const USE_NUMBERS = (count: number) => /* sql */ `
  do $$ begin for nth in 1..${count} loop perform pg_current_xact_id(); commit; end loop; end $$`

/** Returns whether the counter of the target is ahead now, by `margin` too: false if the distance is too great. */
export async function raiseCounter(
  source: pg.ClientBase,
  target: pg.ClientBase,
  say: (line: string) => void,
  margin = 0,
): Promise<boolean> {
  const distance = async () => (await nextTransaction(source)) + MARGIN + margin - (await nextTransaction(target))
  // Databases of one server share their counter.
  if (await isSameServer(source, target)) return true
  const began = await distance()
  if (began > RAISED_MAX) return false
  if (began > STEP) say(`Raising the transaction counter of the new server by ${began}.`)
  const before = await first<{ is: string }>(target, `select current_setting('synchronous_commit') as is`)
  await target.query('set synchronous_commit = off')
  for (let left = began; left > 0; left = await distance()) await target.query(USE_NUMBERS(Math.min(left, STEP)))
  await target.query(`set synchronous_commit = ${before?.is}`)
  return true
}

/**
 * Returns whether every event of the source has a number below all transactions that are still under way on the target
 * server. An older transaction, in any database of that server, would hide an event with its number until it ends, and
 * readers would get that event twice.
 */
export async function isPast(source: pg.ClientBase, target: pg.ClientBase): Promise<boolean> {
  const [there, here] = [await first<Server>(source, SERVER), await first<Server>(target, SERVER)]
  return there?.system === here?.system || Number(there?.next) <= Number(here?.oldest)
}

/** Whether both databases are of one PostgreSQL server. */
async function isSameServer(source: pg.ClientBase, target: pg.ClientBase): Promise<boolean> {
  return (await first<Server>(source, SERVER))?.system === (await first<Server>(target, SERVER))?.system
}

interface Server {
  system: string
  oldest: string
  next: string
}

const SERVER = /* sql */ `
  select (select system_identifier::text from pg_control_system()) as system,
         pg_snapshot_xmin(pg_current_snapshot())::text as oldest, pg_snapshot_xmax(pg_current_snapshot())::text as next`

/** Old transactions of the target may take this long. */
const OLD_MS_MAX = 120_000

/** Waits until old transactions of the target have ended, while the source serves. */
export async function waitUntilPast(
  source: pg.ClientBase,
  target: pg.ClientBase,
  say: (line: string) => void,
): Promise<void> {
  if (await isPast(source, target)) return
  say('Waiting for an old transaction of the new server to end.')
  for (const end = performance.now() + OLD_MS_MAX; performance.now() < end; await sleep(500))
    if (await isPast(source, target)) return
  throw new MoveRefused(
    'A transaction of the new server, of some database there, is older than the move, and does not end; end it (pg_stat_activity), and start the command again.',
  )
}
