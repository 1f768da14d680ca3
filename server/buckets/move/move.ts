/**
 * Moves a bucket to another database while it serves (ADR 0066): PostgreSQL copies and follows, writes wait for a second or two, and the
 * home database names the new one. Every step can be repeated, so a move that was killed goes on when it is started again.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Db } from '#platform/db/db.ts'
import type { Sealer } from '#platform/secrets/seal.ts'
import { urlContext } from '../directory.ts'
import { prepareBucket } from '../open.ts'
import { beginReplication, copyState, endReplication, lag } from './replication.ts'
import { connectTo, first, isSameDatabase, MoveRefused, placesOf, requireReplication } from './servers.ts'
import { DELETE_MOVE, GET_BUCKET, GET_MOVE, INSERT_MOVE, SWITCH_BUCKET, UNDO_MOVE } from './statements.ts'
import { closeSource, empty, isClosed, reopen } from './switch.ts'

export interface MoveDeps {
  home: Db
  sealer: Sealer
  say: (line: string) => void
}

const LOOK_EVERY_MS = 500
/** Below this, the rest arrives while writes wait. */
const LAG_BYTES_MAX = 1_000_000
const SWITCHES_MAX = 30

async function find({ home, sealer }: MoveDeps, name: string) {
  const [bucket] = await home.run(GET_BUCKET, [name])
  if (bucket === undefined) throw new MoveRefused(`There is no bucket ${name}; see: commonhold buckets list`)
  const [row] = await home.run(GET_MOVE, [name])
  const open = (sealed: Buffer) => sealer.open(sealed, urlContext(name))
  const move = row && { from: open(row.sealedFrom), to: open(row.sealedTo), switchedAt: row.switchedAt }
  return { url: open(bucket.sealedUrl), move }
}

/** Moves the bucket `name` to the database `to`, or goes on with the move that was begun. */
export async function moveBucket(deps: MoveDeps, name: string, to: string | undefined): Promise<void> {
  const { home, sealer, say } = deps
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
  else say(`Going on with the move of ${name} to ${placesOf(target)}.`)
  await between(url, target, async (source, copy) => {
    if (!(await isClosed(source))) {
      await beginReplication(source, copy, url)
      await follow(source, copy, say)
      const waited = await close(source, copy, say)
      say(`Writes waited ${Math.round(waited)} ms.`)
    }
    await home.run(SWITCH_BUCKET, [name, sealer.seal(target, urlContext(name))])
    say(`The bucket ${name} is at ${placesOf(target)}.`)
    await endReplication(source, copy)
  })
  say(`Confirm it with: commonhold buckets move ${name} --confirm; until then --undo takes it back.`)
}

async function begin({ home, sealer, say }: MoveDeps, name: string, url: string, to: string): Promise<void> {
  if (to === url) throw new MoveRefused(`The bucket ${name} is at ${placesOf(to)} already.`)
  await between(url, to, async (source, copy) => {
    if (await isSameDatabase(source, copy)) throw new MoveRefused('Both URLs lead to the same database.')
    await requireReplication(source, copy)
    await empty(copy)
    const used = await first<{ is_there: boolean }>(copy, `select to_regclass('api_keys') is not null as is_there`)
    if (used?.is_there && (await first(copy, 'select from api_keys limit 1')) !== undefined)
      throw new MoveRefused(`${placesOf(to)} has API keys already; name an empty database.`)
  })
  await prepareBucket(to)
  await home.run(INSERT_MOVE, [name, sealer.seal(url, urlContext(name)), sealer.seal(to, urlContext(name))])
  say(`Moving ${name} from ${placesOf(url)} to ${placesOf(to)}.`)
}

/** Waits until the target has nearly everything, and says how far it is. */
async function follow(source: pg.ClientBase, copy: pg.ClientBase, say: MoveDeps['say']): Promise<void> {
  for (let said = ''; ; await sleep(LOOK_EVERY_MS)) {
    const { tables, copied, bytes } = await copyState(copy)
    const behind = await lag(source)
    const line = `${copied} of ${tables} tables copied, ${(bytes / 1e6).toFixed(0)} MB${behind === null ? '' : `, ${(behind / 1e6).toFixed(1)} MB of changes to follow`}`
    if (line !== said) say(line)
    said = line
    if (copied === tables && behind !== null && behind <= LAG_BYTES_MAX) return
  }
}

async function close(source: pg.ClientBase, copy: pg.ClientBase, say: MoveDeps['say']): Promise<number> {
  for (let attempt = 1; attempt <= SWITCHES_MAX; attempt++) {
    const waited = await closeSource(source, copy)
    if (waited !== undefined) return waited
    say('Changes under way took too long; trying again.')
    await sleep(LOOK_EVERY_MS * Math.min(attempt, 10))
  }
  throw new MoveRefused('The bucket changes too much to be switched now; start the command again at a quieter time.')
}

/** Gives up a move that has not switched, or takes the bucket back to where it was. */
export async function undoMove(deps: MoveDeps, name: string): Promise<void> {
  const { home, say } = deps
  const { move } = await find(deps, name)
  if (move === undefined) throw new MoveRefused(`The bucket ${name} is not being moved.`)
  if (move.switchedAt !== null) {
    say(`Taking ${name} back to ${placesOf(move.from)}, with everything that has changed since.`)
    await home.run(DELETE_MOVE, [name])
    return moveBucket(deps, name, move.from)
  }
  await between(move.from, move.to, async (source, copy) => {
    await endReplication(source, copy)
    await reopen(source)
    await copy.query('drop schema public cascade; create schema public')
  })
  await home.run(UNDO_MOVE, [name])
  say(`The bucket ${name} stays at ${placesOf(move.from)}.`)
}

/** Ends a move that has switched: the old database is emptied. */
export async function confirmMove(deps: MoveDeps, name: string): Promise<void> {
  const { home, say } = deps
  const { move } = await find(deps, name)
  if (move?.switchedAt == null) throw new MoveRefused(`The bucket ${name} has no move to confirm.`)
  await between(move.from, move.to, async (source, copy) => {
    await endReplication(source, copy)
    await empty(source)
  })
  await home.run(DELETE_MOVE, [name])
  say(`The move of ${name} is final; ${placesOf(move.from)} is empty and can be dropped.`)
}

async function between(
  from: string,
  to: string,
  work: (source: pg.Client, copy: pg.Client) => Promise<void>,
): Promise<void> {
  const source = await connectTo(from)
  try {
    const copy = await connectTo(to)
    try {
      await work(source, copy)
    } finally {
      await copy.end()
    }
  } finally {
    await source.end()
  }
}
