/**
 * Moves a bucket to another database while it serves (ADR 0066): PostgreSQL copies and follows, writes wait for a
 * second or two, and the home database names the new one. Every step can be repeated, so a move that was killed
 * continues when it is started again.
 */
import { urlContext } from '../directory.ts'
import { GET_KEY_MOVES_OF_BUCKET } from '../key-move/statements.ts'
import { between, gone, keepOnly } from './databases.ts'
import { isComplete, show } from './hidden-target.ts'
import { endReplication } from './replication.ts'
import { run } from './run.ts'
import { connectTo, isSameDatabase, MoveRefused, placesOf, requireEmpty, requireReplication } from './servers.ts'
import { DELETE_MOVE, INSERT_MOVE, REVERSE_MOVE, SET_MOVE_TARGET } from './statements.ts'
import { findMove, type Move, type MoveDeps } from './stored-move.ts'
import { clear, isClosed, isTakenBack, openEmpty, reopen } from './switch.ts'

/** Moves the bucket `name` to the database `to`, or continues the move that was begun. */
export async function moveBucket(deps: MoveDeps, name: string, to: string | undefined): Promise<void> {
  const { url, move } = await findMove(deps, name)
  if (move?.switchedAt != null)
    throw new MoveRefused(
      `The bucket ${name} was moved to ${placesOf(move.to)}; confirm that first (--confirm), or take it back (--undo).`,
    )
  if (move !== undefined && to !== undefined && placesOf(to) !== placesOf(move.to))
    throw new MoveRefused(
      `The bucket ${name} is being moved to ${placesOf(move.to)}; finish that, or give it up with --undo.`,
    )
  const target = to ?? move?.to
  if (target === undefined) throw new MoveRefused('Name the new database with --to, or in BUCKET_URL.')
  const [moving] = await deps.home.run(GET_KEY_MOVES_OF_BUCKET, [name])
  if (moving !== undefined)
    throw new MoveRefused(`The key ${moving.apiKeyId} is being moved from or to the bucket ${name}; finish that first.`)
  if (move === undefined) await begin(deps, name, url, target)
  else deps.say(`Going on with the move of ${name} to ${placesOf(target)}.`)
  // Its user or password may be another one now.
  if (move !== undefined && target !== move.to)
    await deps.home.run(SET_MOVE_TARGET, [name, deps.sealer.seal(target, urlContext(name))])
  const begun = await findMove(deps, name)
  if (begun.move === undefined) throw new MoveRefused(`The bucket ${name} is not being moved.`)
  await run(deps, name, begun.move)
  deps.say(`Confirm it with: commonhold buckets move ${name} --confirm; until then --undo takes it back.`)
}

async function begin({ home, sealer, atHome, say }: MoveDeps, name: string, url: string, to: string): Promise<void> {
  if (to === url) throw new MoveRefused(`The bucket ${name} is at ${placesOf(to)} already.`)
  await between({ from: url, to }, async (source, target) => {
    if (await isSameDatabase(source, target)) throw new MoveRefused('Both URLs lead to the same database.')
    if (await isSameDatabase(atHome, target)) throw new MoveRefused(`${placesOf(to)} is the home database.`)
    await requireReplication(source, target)
    await openEmpty(target)
    await requireEmpty(target, placesOf(to))
    // From here on, the row says that the tables of the target are those of this move.
    await home.run(INSERT_MOVE, [name, sealer.seal(url, urlContext(name)), sealer.seal(to, urlContext(name))])
  })
  say(`Moving ${name} from ${placesOf(url)} to ${placesOf(to)}.`)
}

/** Gives up a move that has not switched, or takes the bucket back to where it was. */
export async function undoMove(deps: MoveDeps, name: string): Promise<void> {
  const { home, say } = deps
  const { move } = await findMove(deps, name)
  if (move === undefined) throw new MoveRefused(`The bucket ${name} is not being moved.`)
  const { from, to, switchedAt, sealed } = move
  if (switchedAt !== null) {
    // Its command was killed, and is started again: that must not undo what it has done.
    if (await isTakenBack(to))
      throw new MoveRefused(`The bucket ${name} was taken back to ${placesOf(to)} already; end that with --confirm.`)
    await between({ from: to, to: from }, async (source, target) => {
      await requireReplication(source, target)
      await endReplication(target, source)
    })
    await home.run(REVERSE_MOVE, [name, ...sealed])
    say(`Taking ${name} back to ${placesOf(from)}, with everything that has changed since.`)
    const { move: back } = await findMove(deps, name)
    if (back === undefined) throw new MoveRefused(`The bucket ${name} is not being moved.`)
    return takeBack(deps, name, back)
  }
  if (await isTakenBack(to)) {
    say(`Going on to take ${name} back to ${placesOf(to)}.`)
    return takeBack(deps, name, move)
  }
  if (await isPassed(move)) {
    say('The old database is closed already: finishing the switch, then taking the bucket back.')
    await run(deps, name, move)
    return undoMove(deps, name)
  }
  await keepOnly(move, say, async (source, target) => {
    await endReplication(source, target)
    await reopen(source)
    if (target === undefined) return
    await clear(target, 'open')
    await show(target)
  })
  await home.run(DELETE_MOVE, [name, ...sealed])
  say(`The bucket ${name} stays at ${placesOf(from)}.`)
}

async function takeBack(deps: MoveDeps, name: string, move: Move): Promise<void> {
  await run(deps, name, move)
  deps.say(`End it with: commonhold buckets move ${name} --confirm.`)
}

/** Whether the source is closed and the target there: a server that knew the URL of the target may have written into it since. */
async function isPassed({ from, to }: Move): Promise<boolean> {
  if ((await gone(to)) !== undefined) return false
  const isSourceGone = (await gone(from)) !== undefined
  const client = await connectTo(isSourceGone ? to : from)
  return (isSourceGone ? isComplete(client) : isClosed(client)).finally(() => client.end())
}

/** Ends a move that has switched, or one that takes a bucket back and has not: the database that does not serve is emptied. */
export async function confirmMove(deps: MoveDeps, name: string): Promise<void> {
  const { home, say } = deps
  const { move } = await findMove(deps, name)
  const isSwitched = move?.switchedAt != null
  if (move === undefined || !(isSwitched || (await isTakenBack(move.to))))
    throw new MoveRefused(`The bucket ${name} has no move to confirm.`)
  if (!isSwitched && (await isPassed(move)))
    throw new MoveRefused(`The bucket ${name} is taken back already but for the last step; finish that with --undo.`)
  const { from, to } = isSwitched ? { from: move.to, to: move.from } : move
  await keepOnly({ from, to }, say, async (serving, other) => {
    if (isSwitched) await endReplication(other, serving)
    else {
      await endReplication(serving, other)
      await reopen(serving)
    }
    if (other !== undefined) await clear(other, 'closed')
  })
  await home.run(DELETE_MOVE, [name, ...move.sealed])
  say(`The move of ${name} is final; ${placesOf(to)} can be dropped.`)
}
