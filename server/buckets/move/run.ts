/** Carries out the remaining steps of a move that is recorded in the home database. */
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { isConnectionLost } from '#platform/db/pg-errors.ts'
import { urlContext } from '../directory.ts'
import { prepareTarget } from '../target.ts'
import { between, gone, locked } from './both.ts'
import { raiseCounter, waitUntilPast } from './counter.ts'
import { follow } from './follow.ts'
import type { Move, MoveDeps } from './found.ts'
import { endHiddenSessions, hide, isComplete, markComplete, show, unmark } from './hidden.ts'
import { beginReplication, endReplication, isReplicating } from './replication.ts'
import { BucketUnreachable, MoveRefused, placesOf, requireSameTime } from './servers.ts'
import { SWITCH_BUCKET } from './statements.ts'
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
  say(`Confirm it with: commonhold buckets move ${name} --confirm; until then --undo takes it back.`)
}

async function copyAndClose({ say }: MoveDeps, { from, to }: Move, source: pg.Client, target: pg.Client) {
  await hide(target)
  if (!(await isReplicating(target))) {
    if (await isClosed(target)) await clear(target, 'takesBack')
    await prepareTarget(to, true)
    await endHiddenSessions(target)
  }
  await beginReplication(source, target, from, say)
  await follow(source, target, say)
  await requireSameTime(source, target)
  say(`Writes waited ${Math.round(await close(source, target, from, say))} ms.`)
}

async function close(source: pg.Client, target: pg.Client, from: string, say: MoveDeps['say']): Promise<number> {
  for (let attempt = 1; attempt <= SWITCHES_MAX; attempt++) {
    const isAhead = await raiseCounter(source, target, say)
    if (isAhead) await waitUntilPast(source, target, say)
    else
      say(
        'The transaction counter of the new server is far behind. Events are renumbered when it opens, and page tokens of events become invalid.',
      )
    const waited = await closeSource(source, target, { from, isAhead })
    if (waited !== undefined) return waited
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

/**
 * The source is closed: from here on, the target is the bucket. It is shown to servers before the home database names
 * it. The record that it is complete is written into it before the source can be lost.
 */
async function finish(
  { home, sealer, say }: MoveDeps,
  name: string,
  { to, sealed }: Move,
  source: pg.Client | undefined,
  target: pg.Client,
): Promise<void> {
  try {
    await markComplete(target)
    const shownAt = await show(target)
    const [switched] = await home.run(SWITCH_BUCKET, [name, sealer.seal(to, urlContext(name)), ...sealed])
    if (switched === undefined)
      throw new MoveRefused(
        `Another command has ended this move of ${name} in the meantime; see: commonhold buckets list`,
      )
    say(`The bucket ${name} is at ${placesOf(to)}.`)
    await endHiddenSessions(target, shownAt)
    await unmark(target)
    await endReplication(source, target)
  } catch (error) {
    if (!(error instanceof MoveRefused))
      say(`The bucket ${name} may be UNAVAILABLE until the switch is finished: start the same command again at once.`)
    throw error
  }
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
