/** Waits while PostgreSQL copies a bucket and follows its changes, and stops the replication if it makes no progress. */
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { copyState, endReplication, lag } from './replication.ts'
import { MoveRefused } from './servers.ts'

const LOOK_EVERY_MS = 500
/** Below this, the rest arrives while writes wait. */
const LAG_BYTES_MAX = 1_000_000
/** So often a copy or a change may fail before the next table is copied. */
const FAILURES_MAX = 5
/** So long the target may be without a connection to the source. */
const UNCONNECTED_MS_MAX = 60_000

/** Waits until the target has nearly everything, and says how far it is. A replication that fails is ended: its slot would fill a disk. */
export async function follow(source: pg.ClientBase, target: pg.ClientBase, say: (line: string) => void): Promise<void> {
  const refuse = async (why: string) => {
    await endReplication(source, target)
    throw new MoveRefused(
      `${why}; its log says more. The bucket is where it was, and the copy has ended. Start the command again when that is fixed, or give the move up with --undo.`,
    )
  }
  let connectedAt = performance.now()
  for (let said = '', failed = 0, done = -1; ; await sleep(LOOK_EVERY_MS)) {
    const { tables, copied, bytes, failures } = await copyState(target)
    const behind = await lag(source)
    const line = `${copied} of ${tables} tables copied, ${(bytes / 1e6).toFixed(0)} MB${behind === null ? '' : `, ${(behind / 1e6).toFixed(1)} MB of changes to follow`}`
    if (line !== said) say(line)
    said = line
    if (copied !== done) [done, failed] = [copied, failures]
    if (failures - failed >= FAILURES_MAX)
      await refuse('The new server cannot store what it gets, for example because its disk is full')
    if (behind !== null) connectedAt = performance.now()
    if (performance.now() - connectedAt > UNCONNECTED_MS_MAX)
      await refuse('The new server does not get a connection to that of the bucket')
    if (copied === tables && behind !== null && behind <= LAG_BYTES_MAX) return
  }
}
