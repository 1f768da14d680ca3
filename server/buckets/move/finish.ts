/**
 * The last steps of a move, once its source is closed: until the home database names the target, the bucket is UNAVAILABLE. The command
 * makes them. If it has died there, the first server that notices does: nobody has to start it again.
 */
import type pg from 'pg'
import { urlContext } from '../directory.ts'
import { between, holdBucket } from './databases.ts'
import { endHiddenSessions, markComplete, show, unmark } from './hidden-target.ts'
import { endReplication } from './replication.ts'
import { connectTo, endWhenIdle, MoveRefused, Occupied, placesOf, STOPPED_MS } from './servers.ts'
import { GET_MOVE, SWITCH_BUCKET } from './statements.ts'
import { findMove, type Move, type MoveDeps } from './stored-move.ts'
import { isClosed } from './switch.ts'

/**
 * The source is closed: from here on, the target is the bucket. It is shown to servers before the home database names
 * it. The record that it is complete is written into it before the source can be lost.
 */
export async function finish(
  { home, sealer, atHome, say }: MoveDeps,
  name: string,
  { to, sealed }: Move,
  source: pg.Client | undefined,
  target: pg.Client,
): Promise<void> {
  const sources = source ? [source] : []
  const shown = async () => {
    await markComplete(target)
    return show(target)
  }
  const named = () => home.run(SWITCH_BUCKET, [name, sealer.seal(to, urlContext(name)), ...sealed])
  try {
    await endWhenIdle([atHome, target, ...sources])
    const shownAt = await keepingAlive(atHome, sources, shown())
    const [switched] = await keepingAlive(atHome, [target, ...sources], named())
    if (switched === undefined && !(await isSwitched({ home }, name, sealed)))
      throw new MoveRefused(
        `Another command has ended this move of ${name} in the meantime; see: commonhold buckets list`,
      )
    say(`The bucket ${name} is at ${placesOf(to)}.`)
    await endHiddenSessions(target, shownAt)
    await unmark(target)
    await endReplication(source, target)
  } catch (error) {
    if (!(error instanceof MoveRefused))
      say(
        `The bucket ${name} is UNAVAILABLE until the switch is finished: a server does that within seconds, or the same command.`,
      )
    throw error
  }
}

/**
 * Uses the sessions that wait for `work`: only those of a command that is stopped, or that cannot reach the home database any more, are
 * idle, and end.
 */
async function keepingAlive<T>(atHome: pg.ClientBase, waiting: readonly pg.ClientBase[], work: Promise<T>): Promise<T> {
  let used: Promise<unknown> = Promise.resolve()
  let [isAsked, isOver] = [false, false]
  const use = async () => {
    if (isAsked) return
    isAsked = true
    await atHome.query('select')
    isAsked = false
    if (!isOver) used = Promise.all(waiting.map((client) => client.query('select'))).catch(() => {})
  }
  const timer = setInterval(() => void use().catch(() => {}), STOPPED_MS / 5)
  try {
    return await work
  } finally {
    isOver = true
    clearInterval(timer)
    await used
  }
}

/** Whether somebody else has finished the same move. */
async function isSwitched({ home }: Pick<MoveDeps, 'home'>, name: string, sealed: Move['sealed']): Promise<boolean> {
  const [move] = await home.run(GET_MOVE, [name])
  return move?.switchedAt != null && move.sealedFrom.equals(sealed[0]) && move.sealedTo.equals(sealed[1])
}

export interface UnattendedDeps extends Omit<MoveDeps, 'atHome'> {
  homeUrl: string
}

/**
 * Finishes the move of a bucket whose source is closed and whose command has ended; returns whether it did. A command that works holds three
 * locks, which end with its sessions. A source that cannot be reached is left to a command: another one may take it for the bucket.
 */
export async function finishUnattended(deps: UnattendedDeps, name: string): Promise<boolean> {
  const isMoving = async () => (await findMove(deps, name)).move?.switchedAt === null
  if (!(await isMoving())) return false
  const atHome = await connectTo(deps.homeUrl)
  const atOnce = { patienceMs: 0 }
  let isFinished = false
  try {
    await holdBucket(atHome, name, atOnce)
    const { move } = await findMove(deps, name)
    if (move?.switchedAt !== null) return false
    await between(
      move,
      async (source, target) => {
        if (!(await isClosed(source))) return
        await finish({ ...deps, atHome }, name, move, source, target)
        isFinished = true
      },
      atOnce,
    )
  } catch (error) {
    if (!(error instanceof Occupied)) throw error
  } finally {
    await atHome.end()
  }
  return isFinished
}
