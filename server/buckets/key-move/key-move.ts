/**
 * Moves the data set of one API key to another bucket, or to the home database (ADR 0068): its changes are refused,
 * everything is copied in one transaction, the place of the key is switched, and the rows it has left are deleted.
 * Until the copy is committed, the old database is authoritative and the move can be given up; from then on the move
 * can only be finished. Every step can be repeated.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { nextTransaction, raiseCounter, waitUntilPast } from '../move/counter.ts'
import { first, MoveRefused, Occupied } from '../move/servers.ts'
import { copyKey } from './copy.ts'
import { type KeyTable, tablesOfKey } from './data-set.ts'
import { type Ends, type KeyMoveDeps, keyIn, nameOf, type Place, placeOf, withBoth } from './databases.ts'
import { fence, unfence } from './fence.ts'
import { removeCredentials, removeRows } from './removal.ts'
import {
  ADD_KEY_MOVE,
  CLOSE_KEY,
  DELETE_KEY_MOVE,
  FINISH_KEY_MOVE,
  GET_KEY_MOVE,
  SECONDS_UNTIL_KNOWN,
  SWITCH_KEY,
} from './statements.ts'

/** Moves a key to `to`, or continues the move that was begun. */
export async function moveKey(deps: KeyMoveDeps, apiKeyId: string, to: Place): Promise<void> {
  const { home, say } = deps
  const [begun] = await home.run(GET_KEY_MOVE, [apiKeyId])
  const from = begun === undefined ? await placeOf(deps, apiKeyId) : (begun.from ?? undefined)
  if (begun !== undefined && (begun.to ?? undefined) !== to)
    throw new MoveRefused(
      `The key is being moved to ${nameOf(begun.to ?? undefined)}; finish that, or give it up with --undo.`,
    )
  if (begun === undefined && from === to) throw new MoveRefused(`The key is in ${nameOf(to)} already.`)
  const ends = { apiKeyId, from, to }
  await withBoth(deps, ends, async (source, target) => {
    // A server may have given up, or finished, what another command has begun.
    const [now] = await home.run(GET_KEY_MOVE, [apiKeyId])
    if (now === undefined) await begin(deps, ends, source, target)
    else say(`Continuing the move of the key to ${nameOf(to)}.`)
    const tables = await tablesOfKey(source, apiKeyId)
    if (now?.isSwitched !== true) await serveInTarget(deps, ends, { source, target, tables })
    await leave(deps, ends, source, tables)
  })
}

/**
 * Opens a key whose command has ended for changes again: what is not copied stays where it was, what is copied is switched. What the key
 * leaves is deleted by the next command. Returns what was done; undefined: nothing, because a command works on it.
 */
export async function openUnattended(deps: KeyMoveDeps, apiKeyId: string): Promise<'kept' | 'switched' | undefined> {
  const [seen] = await deps.home.run(GET_KEY_MOVE, [apiKeyId])
  if (seen === undefined) return undefined
  const ends = { apiKeyId, from: seen.from ?? undefined, to: seen.to ?? undefined }
  let done: 'kept' | 'switched' | undefined
  const open = async (source: pg.Client, target: pg.Client) => {
    const [begun] = await deps.home.run(GET_KEY_MOVE, [apiKeyId])
    if (begun === undefined || begun.isSwitched || begun.from !== seen.from || begun.to !== seen.to) return
    const tables = await tablesOfKey(source, apiKeyId)
    const isCopied = begun.isClosed || (await keyIn(target, apiKeyId)) !== undefined
    if (isCopied) await serveInTarget(deps, ends, { source, target, tables })
    else await keep(deps, apiKeyId, source)
    done = isCopied ? 'switched' : 'kept'
  }
  await withBoth(deps, ends, open, { patienceMs: 0 }).catch((error: unknown) => {
    if (!(error instanceof Occupied)) throw error
  })
  return done
}

/** Gives up a move of which nothing is copied. */
export async function keep({ home }: KeyMoveDeps, apiKeyId: string, source: pg.Client): Promise<void> {
  await unfence(source, apiKeyId, await tablesOfKey(source, apiKeyId))
  await home.run(DELETE_KEY_MOVE, [apiKeyId])
}

const VERSION = 'select max(version) as version from schema_migrations'

const UNFINISHED = ['document_migrations', 'user_data_deletions', 'user_access_revocations']

async function begin(deps: KeyMoveDeps, ends: Ends, source: pg.ClientBase, target: pg.ClientBase): Promise<void> {
  const { home, atHome, say } = deps
  const { apiKeyId, from, to } = ends
  const [expected, ...found] = await Promise.all(
    [atHome, source, target].map((client) => first<{ version: number }>(client, VERSION)),
  )
  for (const [nth, one] of found.entries())
    if (one?.version !== expected?.version)
      throw new MoveRefused(
        `The database of ${nameOf(nth === 0 ? from : to)} has another version; start the servers of this version first.`,
      )
  const key = await keyIn(source, apiKeyId)
  if (key === undefined) throw new MoveRefused('There is no such API key any more.')
  // Rows that are not of this move may be of any age.
  if ((await keyIn(target, apiKeyId)) !== undefined)
    throw new MoveRefused(
      `There are rows of the key in ${nameOf(to)} already, which are not of a move: see commonhold buckets check.`,
    )
  const tables = (await tablesOfKey(source, apiKeyId)).filter(({ name }) => UNFINISHED.includes(name))
  for (const { name, where } of tables)
    if ((await first(source, `select from ${name} where finished_at is null and ${where} limit 1`)) !== undefined)
      throw new MoveRefused(`A job of the key is not finished (${name.replaceAll('_', ' ')}); move the key when it is.`)
  if (!(await raiseCounter(source, target, say)))
    throw new MoveRefused(
      `The transaction counter of ${nameOf(to)} is too far behind: events of the key would lose their order there. Move the bucket as a whole, or the key to another one.`,
    )
  await home.run(ADD_KEY_MOVE, [apiKeyId, key.workspaceId, from ?? null, to ?? null])
  say(`Moving the key from ${nameOf(from)} to ${nameOf(to)}.`)
}

interface Work {
  source: pg.Client
  target: pg.Client
  tables: readonly KeyTable[]
}

/** Copies the key, unless that is done, and names its new place. */
async function serveInTarget(
  deps: KeyMoveDeps,
  { apiKeyId, to }: Ends,
  { source, target, tables }: Work,
): Promise<void> {
  const { home, say } = deps
  // A process that knows of no bucket does not look for the place of a key.
  if (to !== undefined) await sleep(1_000 * ((await home.run(SECONDS_UNTIL_KNOWN, [to]))[0]?.seconds ?? 0))
  const began = { at: performance.now(), counter: await nextTransaction(source) }
  let copied = await keyIn(target, apiKeyId)
  if (copied === undefined) {
    await settle(source, target, say) // so that the fence need not wait for long transactions of the target
    await fence(source, apiKeyId, tables)
    say('Changes of the key are refused (api_key_moving); reads continue.')
    await settle(source, target, say)
    await copyKey(source, target, { apiKeyId, tables, say })
    say('Everything is copied.')
    copied = await keyIn(target, apiKeyId)
  }
  if (copied === undefined) throw new Error('the key is not in the target')
  // Calls that have begun may still hand out page tokens with snapshots of the source.
  const perMs = ((await nextTransaction(source)) - began.counter) / Math.max(performance.now() - began.at, 1_000)
  await raiseCounter(source, target, say, Math.ceil(2 * perMs * deps.requestTimeoutMs))
  try {
    await home.run(CLOSE_KEY, [apiKeyId])
    await removeCredentials(source, apiKeyId)
    const [switched] = await home.run(SWITCH_KEY, [apiKeyId, copied.type])
    if (switched === undefined) throw new Error('the home database has no such move')
  } catch (error) {
    say('The key can be UNAVAILABLE until the switch is finished: start the same command again at once.')
    throw error
  }
  say(`The key is in ${nameOf(to)}. Changes were refused for ${((performance.now() - began.at) / 1_000).toFixed(1)} s.`)
}

/** Raises the counter of the target, and waits for its transactions that are as old as a number of the source. */
async function settle(source: pg.ClientBase, target: pg.ClientBase, say: (line: string) => void): Promise<void> {
  await raiseCounter(source, target, say)
  await waitUntilPast(source, target, say)
}

/** Deletes what the key has left, once no call can still read it. */
async function leave(
  deps: KeyMoveDeps,
  { apiKeyId, from }: Ends,
  source: pg.Client,
  tables: readonly KeyTable[],
): Promise<void> {
  const { home, say, requestTimeoutMs } = deps
  const key = await keyIn(source, apiKeyId)
  if (key !== undefined) {
    say(
      `Waiting ${Math.ceil(requestTimeoutMs / 1_000)} s for calls under way, then deleting what is left in ${nameOf(from)}.`,
    )
    await sleep(requestTimeoutMs)
    await removeRows(source, tables, { apiKeyId, workspaceId: key.workspaceId, bucket: from })
  }
  await unfence(source, apiKeyId, tables)
  await home.run(FINISH_KEY_MOVE, [apiKeyId])
  say('The move of the key is finished.')
}
