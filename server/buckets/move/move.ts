/**
 * Moves a bucket to another database while it serves (ADR 0066): PostgreSQL copies and follows, writes wait for a second or two, and the
 * home database names the new one. Every step can be repeated, so a move that was killed goes on when it is started again.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Db } from '#platform/db/db.ts'
import type { Sealer } from '#platform/secrets/seal.ts'
import { urlContext } from '../directory.ts'
import { GET_BUCKET } from '../statements.ts'
import { prepareTarget } from '../target.ts'
import { type Both, between, keepOnly } from './both.ts'
import { raiseCounter } from './counter.ts'
import { beginReplication, copyState, endReplication, isReplicating, lag } from './replication.ts'
import { isSameDatabase, MoveRefused, placesOf, requireEmpty, requireReplication } from './servers.ts'
import { DELETE_MOVE, GET_MOVE, INSERT_MOVE, REVERSE_MOVE, SWITCH_BUCKET } from './statements.ts'
import { clear, closeSource, isClosed, isTakenBack, openEmpty, reopen } from './switch.ts'

export interface MoveDeps {
  home: Db
  sealer: Sealer
  /** A connection to the home database. */
  atHome: pg.ClientBase
  say: (line: string) => void
}

const LOOK_EVERY_MS = 500
/** Below this, the rest arrives while writes wait. */
const LAG_BYTES_MAX = 1_000_000
const SWITCHES_MAX = 30

interface Move {
  from: string
  to: string
  switchedAt: Date | null
}

async function find({ home, sealer }: MoveDeps, name: string): Promise<{ url: string; move: Move | undefined }> {
  const [bucket] = await home.run(GET_BUCKET, [name])
  if (bucket === undefined) throw new MoveRefused(`There is no bucket ${name}; see: commonhold buckets list`)
  const [row] = await home.run(GET_MOVE, [name])
  const open = (sealed: Buffer) => sealer.open(sealed, urlContext(name))
  const move = row && { from: open(row.sealedFrom), to: open(row.sealedTo), switchedAt: row.switchedAt }
  return { url: open(bucket.sealedUrl), move }
}

/** Moves the bucket `name` to the database `to`, or goes on with the move that was begun. */
export async function moveBucket(deps: MoveDeps, name: string, to: string | undefined): Promise<void> {
  const { url, move } = await find(deps, name)
  if (move?.switchedAt != null)
    throw new MoveRefused(
      `The bucket ${name} was moved to ${placesOf(move.to)}; confirm that first (--confirm), or take it back (--undo).`,
    )
  if (move !== undefined && to !== undefined && to !== move.to)
    throw new MoveRefused(
      `The bucket ${name} is being moved to ${placesOf(move.to)}; finish that, or give it up with --undo.`,
    )
  const target = move?.to ?? to
  if (target === undefined) throw new MoveRefused('Name the new database with --to, or in BUCKET_URL.')
  if (move === undefined) await begin(deps, name, url, target)
  else deps.say(`Going on with the move of ${name} to ${placesOf(target)}.`)
  await run(deps, name, { from: url, to: target })
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

/** Does what is left of a move that the home database has begun. */
async function run(deps: MoveDeps, name: string, both: Both): Promise<void> {
  const { home, sealer, say } = deps
  await between(both, async (source, target) => {
    if (await isClosed(source))
      say(
        `The bucket ${name} is UNAVAILABLE: its old database is closed. The new one has everything; finishing the switch.`,
      )
    else {
      if (!(await isReplicating(target))) {
        if (await isClosed(target)) await clear(target, 'takesBack')
        await prepareTarget(both.to)
      }
      await beginReplication(source, target, both.from)
      await follow(source, target, say)
      const isAhead = await raiseCounter(source, target, say)
      const waited = await close(source, target, { from: both.from, isAhead, say })
      say(`Writes waited ${Math.round(waited)} ms.`)
    }
    try {
      const [switched] = await home.run(SWITCH_BUCKET, [name, sealer.seal(both.to, urlContext(name))])
      if (switched === undefined) throw new Error('the home database has no such move')
    } catch (error) {
      say(`The bucket ${name} is UNAVAILABLE until the switch is finished: start the same command again at once.`)
      throw error
    }
    say(`The bucket ${name} is at ${placesOf(both.to)}.`)
    await endReplication(source, target)
  })
  say(`Confirm it with: commonhold buckets move ${name} --confirm; until then --undo takes it back.`)
}

/** Waits until the target has nearly everything, and says how far it is. */
async function follow(source: pg.ClientBase, target: pg.ClientBase, say: MoveDeps['say']): Promise<void> {
  for (let said = '', failed = 0; ; await sleep(LOOK_EVERY_MS)) {
    const { tables, copied, bytes, failures } = await copyState(target)
    const behind = await lag(source)
    const line = `${copied} of ${tables} tables copied, ${(bytes / 1e6).toFixed(0)} MB${behind === null ? '' : `, ${(behind / 1e6).toFixed(1)} MB of changes to follow`}`
    if (line !== said) say(line)
    said = line
    if (failures > failed)
      say(
        'The new server could not copy or apply something, and tries again; its log says why. If that repeats, give the move up with --undo.',
      )
    failed = failures
    if (copied === tables && behind !== null && behind <= LAG_BYTES_MAX) return
  }
}

async function close(
  source: pg.Client,
  target: pg.Client,
  { say, ...options }: { from: string; isAhead: boolean; say: MoveDeps['say'] },
): Promise<number> {
  for (let attempt = 1; attempt <= SWITCHES_MAX; attempt++) {
    const waited = await closeSource(source, target, options)
    if (waited !== undefined) return waited
    say('Changes under way took too long; trying again.')
    await sleep(LOOK_EVERY_MS * Math.min(attempt, 10))
    if (options.isAhead) await raiseCounter(source, target, say)
  }
  throw new MoveRefused('The bucket changes too much to be switched now; start the command again at a quieter time.')
}

/** Gives up a move that has not switched, or takes the bucket back to where it was. */
export async function undoMove(deps: MoveDeps, name: string): Promise<void> {
  const { home, say } = deps
  const { move } = await find(deps, name)
  if (move === undefined) throw new MoveRefused(`The bucket ${name} is not being moved.`)
  const { from, to, switchedAt } = move
  if (switchedAt !== null) {
    await between({ from: to, to: from }, async (source, target) => {
      await requireReplication(source, target)
      await endReplication(target, source)
    })
    await home.run(REVERSE_MOVE, [name])
    say(`Taking ${name} back to ${placesOf(from)}, with everything that has changed since.`)
    return run(deps, name, { from: to, to: from })
  }
  if (await isTakenBack(to)) {
    say(`Going on to take ${name} back to ${placesOf(to)}.`)
    return run(deps, name, move)
  }
  await keepOnly(move, say, async (source, target) => {
    await endReplication(source, target)
    await reopen(source)
    if (target !== undefined) await clear(target, 'open')
  })
  await home.run(DELETE_MOVE, [name])
  say(`The bucket ${name} stays at ${placesOf(from)}.`)
}

/** Ends a move that has switched, or one that takes a bucket back and has not: the database that does not serve is emptied. */
export async function confirmMove(deps: MoveDeps, name: string): Promise<void> {
  const { home, say } = deps
  const { move } = await find(deps, name)
  const isSwitched = move?.switchedAt != null
  if (move === undefined || !(isSwitched || (await isTakenBack(move.to))))
    throw new MoveRefused(`The bucket ${name} has no move to confirm.`)
  const { from, to } = isSwitched ? { from: move.to, to: move.from } : move
  await keepOnly({ from, to }, say, async (serving, other) => {
    if (isSwitched) await endReplication(other, serving)
    else {
      await endReplication(serving, other)
      await reopen(serving)
    }
    if (other !== undefined) await clear(other, 'closed')
  })
  await home.run(DELETE_MOVE, [name])
  say(`The move of ${name} is final; ${placesOf(to)} can be dropped.`)
}
