/** Connections to the two databases of a move. Each database is locked, so that no other command changes it, even if this command dies. */
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { connectTo, first, Occupied, placesOf } from './servers.ts'

export interface Both {
  from: string
  to: string
}

/** An arbitrary number that no other program uses. */
const LOCK_KEY = 7_031_904_553

/** PostgreSQL ends the sessions of a command that was killed within half a second: until then, it holds its locks. */
const RELEASED_MS = 5_000

export interface Patience {
  /** How long to wait for a lock that another session holds. */
  patienceMs?: number
}

/** Takes an advisory lock of the session; returns whether it was free, or its holder ended soon. */
async function takeLock(
  client: pg.ClientBase,
  key: string,
  values: unknown[],
  { patienceMs = RELEASED_MS }: Patience = {},
): Promise<boolean> {
  for (const end = performance.now() + patienceMs; ; await sleep(100)) {
    const taken = await first<{ held: boolean }>(client, `select pg_try_advisory_lock(${key}) as held`, values)
    if (taken?.held || performance.now() >= end) return taken?.held ?? false
  }
}

/** One command changes a bucket at a time; a killed one releases it. */
export async function holdBucket(atHome: pg.ClientBase, name: string, patience?: Patience): Promise<void> {
  if (!(await takeLock(atHome, 'hashtextextended($1, 41)', [name], patience)))
    throw new Occupied(`Another command is working on the bucket ${name}; wait until it has ended.`)
}

/** The lock belongs to the session that does the work: a command that has lost it cannot continue. */
export async function locked(url: string, patience?: Patience): Promise<pg.Client> {
  const client = await connectTo(url)
  try {
    if (await takeLock(client, String(LOCK_KEY), [], patience)) return client
  } catch (error) {
    await client.end()
    throw error
  }
  await client.end()
  throw new Occupied(
    `Another command is working on ${placesOf(url)}; wait until it has ended, or end it. Then start this command again: it continues where it was.`,
  )
}

/** Runs `work` with both databases. */
export async function between(
  { from, to }: Both,
  work: (source: pg.Client, target: pg.Client) => Promise<void>,
  patience?: Patience,
): Promise<void> {
  const source = await locked(from, patience)
  try {
    const target = await locked(to, patience)
    try {
      await work(source, target)
    } finally {
      await target.end()
    }
  } finally {
    await source.end()
  }
}

/** Returns why a database cannot be reached; undefined if it can. */
export const gone = (url: string): Promise<Error | undefined> =>
  connectTo(url).then(
    (client) => client.end().then(() => undefined),
    (error: Error) => error,
  )

/** Runs `work` with the database `from`, which continues to serve, and with `to` if that can still be reached. */
export async function keepOnly(
  { from, to }: Both,
  say: (line: string) => void,
  work: (kept: pg.Client, other: pg.Client | undefined) => Promise<void>,
): Promise<void> {
  const unreachable = await gone(to)
  if (unreachable === undefined) return between({ from, to }, work)
  say(
    `${unreachable.message} It is left as it is: drop it, with its replication slots and subscriptions, if it ever comes back.`,
  )
  const kept = await locked(from)
  try {
    await work(kept, undefined)
  } finally {
    await kept.end()
  }
}
