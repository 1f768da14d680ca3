/** Carries out the remaining steps of a move that is recorded in the home database. */
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { isConnectionLost } from '#platform/db/pg-errors.ts'
import { prepareTarget } from '../target.ts'
import { raiseCounter, waitUntilPast } from './counter.ts'
import { between, gone, locked } from './databases.ts'
import { finish } from './finish.ts'
import { follow } from './follow.ts'
import { endHiddenSessions, hide, isComplete } from './hidden-target.ts'
import { beginReplication, isReplicating } from './replication.ts'
import { BucketUnreachable, endWhenIdle, MoveRefused, requireSameTime } from './servers.ts'
import type { Move, MoveDeps } from './stored-move.ts'
import { clear, closeSource, isClosed } from './switch.ts'

const SWITCHES_MAX = 30
const PAUSE_MS = 500

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
