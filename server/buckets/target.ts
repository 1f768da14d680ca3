/** A database that can become a bucket: nothing uses it, and its user may create the schema in it. */
import type { ClientBase } from 'pg'
import { explainDatabase } from '#platform/db/advice.ts'
import type { Db } from '#platform/db/db.ts'
import type { Sealer } from '#platform/secrets/seal.ts'
import { urlContext } from './directory.ts'
import { gone } from './move/databases.ts'
import { isComplete } from './move/hidden-target.ts'
import { connectTo, first, isSameDatabase, MoveRefused, placesOf } from './move/servers.ts'
import { findMove, isMoving, type Move } from './move/stored-move.ts'
import { prepareBucket } from './prepare.ts'
import { GET_BUCKETS, GET_KEYS_OF_BUCKET } from './statements.ts'

/** Refuses the database of an installation, and that of another bucket, which has no rows yet when it has no keys. */
export async function requireUnused(
  { home, sealer }: { home: Db; sealer: Sealer },
  client: ClientBase,
  url: string,
): Promise<void> {
  const there = await first<{ found: boolean }>(client, `select to_regclass('buckets') is not null as found`)
  if (!there?.found) return
  const used = await first(
    client,
    'select from workspaces union all select from api_keys union all select from buckets limit 1',
  )
  if (used !== undefined)
    throw new MoveRefused(
      `${placesOf(url)} is the database of an installation or of another bucket; name an empty one.`,
    )
  for (const { name, sealedUrl } of await home.run(GET_BUCKETS))
    if (await leadsTo(sealer.open(sealedUrl, urlContext(name)), client))
      throw new MoveRefused(`${placesOf(url)} is the database of the bucket ${name}; name an empty one.`)
}

/** A database that cannot be reached is another one than that which can. */
async function leadsTo(url: string, client: ClientBase): Promise<boolean> {
  const other = await connectTo(url).catch(() => undefined)
  return other !== undefined && isSameDatabase(other, client).finally(() => other.end())
}

/** Creates the schema. If the user may not, throws an error that says what the operator has to do. */
export async function prepareTarget(url: string, isHidden = false): Promise<void> {
  await prepareBucket(url, isHidden).catch((error: unknown) => {
    const says = explainDatabase(error, `${placesOf(url)} cannot be used: `, 'the URL')
    throw says === undefined ? error : new MoveRefused(says, { cause: error })
  })
}

/**
 * Refuses a database that is not that of the bucket `name`, or a restored copy of it. A copy may lack the newest keys; one without
 * any key of the bucket is another database.
 */
export async function requireDataOf(
  { home, sealer }: { home: Db; sealer: Sealer },
  name: string,
  url: string,
): Promise<void> {
  const { move } = await findMove({ home, sealer }, name)
  if (move !== undefined && !(await isReplaced(move, url))) throw isMoving(name)
  const keys = (await home.run(GET_KEYS_OF_BUCKET, [name])).map(({ id }) => id)
  const client = await connectTo(url)
  try {
    const prepared = await first(client, `select from pg_constraint where conname = 'workspaces_are_at_home'`)
    const found = prepared === undefined ? undefined : await first<{ count: number }>(client, COUNT_KEYS, [keys])
    if (found === undefined || (found.count === 0 && keys.length > 0))
      throw new MoveRefused(`${placesOf(url)} does not have the data of the bucket ${name}; to move it: buckets move.`)
  } finally {
    await client.end()
  }
}

/** Returns whether a URL is for the database that a move leaves: with another password, or a restored copy of a lost database. */
async function isReplaced({ from, to, switchedAt }: Move, url: string): Promise<boolean> {
  if (switchedAt !== null) return false
  if (placesOf(from) === placesOf(url)) return true
  if ((await gone(from)) === undefined) return false
  const target = await connectTo(to).catch(() => undefined)
  return target === undefined || !(await isComplete(target).finally(() => target.end()))
}

const COUNT_KEYS = 'select count(*)::int as count from api_keys where api_key_id = any($1)'
