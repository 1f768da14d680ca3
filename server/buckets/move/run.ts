/** Carries out the remaining steps of a move that is recorded in the home database. */
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { isConnectionLost } from '#platform/db/pg-errors.ts'
import { prepareTarget } from '../target.ts'
import { raiseCounter, waitUntilPast } from './counter.ts'
import { between, gone, locked } from './databases.ts'
import { finish } from './finish.ts'
import { endHiddenSessions, hide, isComplete } from './hidden-target.ts'
import { beginReplication, copyState, endReplication, isReplicating, lag } from './replication.ts'
import { BucketUnreachable, endWhenIdle, MoveRefused, requireSameTime } from './servers.ts'
import type { Move, MoveDeps } from './stored-move.ts'
import { clear, closeSource, isClosed } from './switch.ts'

const SWITCHES_MAX = 30
const PAUSE_MS = 500
const LOOK_EVERY_MS = 500
/** With fewer bytes to follow, the source is closed: they arrive while writes wait. */
const LAG_BYTES_MAX = 1_000_000
/** The number of failures after which the replication is ended, if no table was copied meanwhile. */
const FAILURES_MAX = 5
/** The time without a connection from the target to the source after which the replication is ended. */
const UNCONNECTED_MS_MAX = 60_000

export async function run(deps: MoveDeps, name: string, move: Move): Promise<void> {
  const { say } = deps
  const unreachable = await gone(move.from)
  if (unreachable !== undefined) await finishAlone(deps, name, move, unreachable)
  else
    await between(move, async (source, target) => {
      if (await isClosed(source))
        say(
          `The bucket ${name} is UNAVAILABLE: its old database is closed. The new one has everything; finishing the switch.`,
        )
      else await copyAndClose(deps, move, source, target).catch(explainLoss)
      await finish(deps, name, move, source, target)
    })
  // It may have ended meanwhile, and what follows has locks of its own.
  await endWhenIdle([deps.atHome], 0).catch(() => {})
}

async function copyAndClose(deps: MoveDeps, { from, to }: Move, source: pg.Client, target: pg.Client) {
  const { say } = deps
  await hide(target)
  if (!(await isReplicating(target))) {
    if (await isClosed(target)) await clear(target, 'takesBack')
    await prepareTarget(to, true)
    await endHiddenSessions(target)
  }
  await beginReplication(source, target, from, say)
  await follow(source, target, say)
  await requireSameTime(source, target)
  say(`Writes waited ${Math.round(await close(deps, source, target, from))} ms.`)
}

/** Waits until the target has nearly everything, and says how far it is. A replication that fails is ended: its slot would fill a disk. */
async function follow(source: pg.ClientBase, target: pg.ClientBase, say: (line: string) => void): Promise<void> {
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

async function close({ atHome, say }: MoveDeps, source: pg.Client, target: pg.Client, from: string): Promise<number> {
  const sessions = [atHome, source, target]
  for (let attempt = 1; attempt <= SWITCHES_MAX; attempt++) {
    const isAhead = await raiseCounter(source, target, say)
    if (isAhead) await waitUntilPast(source, target, say)
    else
      say(
        'The transaction counter of the new server is far behind. Events are renumbered when it opens, and page tokens of events become invalid.',
      )
    await endWhenIdle(sessions)
    const waited = await closeSource(source, target, { from, isAhead })
    if (waited !== undefined) return waited
    await endWhenIdle(sessions, 0)
    say('Changes under way took too long; trying again.')
    await sleep(PAUSE_MS * Math.min(attempt, 10))
  }
  throw new MoveRefused('The bucket changes too much to be switched now; start the command again at a quieter time.')
}

/** A connection broke before the switch. */
function explainLoss(error: unknown): never {
  if (error instanceof MoveRefused || !isConnectionLost(error)) throw error
  throw new BucketUnreachable(
    `A connection was lost: ${(error as Error).message}. Start the same command again soon, or give the move up with --undo: until then, the old server keeps its log for the new one, which fills its disk.`,
    { cause: error },
  )
}

/** The source cannot be reached any more. If it was closed before, nothing is missing in the target. */
async function finishAlone(deps: MoveDeps, name: string, move: Move, unreachable: Error): Promise<void> {
  const target = await locked(move.to)
  try {
    if (!(await isComplete(target)))
      throw new BucketUnreachable(
        `${unreachable.message} The new database may lack changes of it. Start that PostgreSQL, and this command again; if it is lost, restore a backup, name that with: commonhold buckets set ${name}; then give the move up with --undo.`,
      )
    deps.say(`${unreachable.message} It was closed before, and the new database has everything; finishing the switch.`)
    await finish(deps, name, move, undefined, target)
  } finally {
    await target.end()
  }
}
