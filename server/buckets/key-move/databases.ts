/** The two databases between which an API key moves. */
import type pg from 'pg'
import { isWellFormedToken } from '#platform/secrets/tokens.ts'
import { readCitusUrl } from '../citus/address.ts'
import { urlContext } from '../directory.ts'
import { between, holdBucket, type Patience } from '../move/databases.ts'
import { first, MoveRefused } from '../move/servers.ts'
import { type MoveDeps, requireNoMove } from '../move/stored-move.ts'
import { FIND_PLACE, GET_BUCKET } from '../statements.ts'
import { keptAlive } from './kept-alive.ts'

export interface KeyMoveDeps extends MoveDeps {
  homeUrl: string
  /** A call that began before the switch may read in the old database for this long. */
  requestTimeoutMs: number
}

/** A bucket, or the home database. */
export type Place = string | undefined

export interface Ends {
  apiKeyId: string
  from: Place
  to: Place
}

interface KeyRow {
  workspaceId: string
  type: string
}

export const nameOf = (place: Place) => (place === undefined ? 'the home database' : `the bucket ${place}`)

export const keyIn = (client: pg.ClientBase, apiKeyId: string) =>
  first<KeyRow>(client, 'select workspace_id as "workspaceId", type from api_keys where api_key_id = $1', [apiKeyId])

/** Returns where a key is. */
export async function placeOf({ home, atHome }: KeyMoveDeps, apiKeyId: string): Promise<Place> {
  const [{ bucket } = { bucket: null }] = isWellFormedToken(apiKeyId) ? await home.run(FIND_PLACE, [apiKeyId]) : []
  if (bucket !== null) return bucket
  if (isWellFormedToken(apiKeyId) && (await keyIn(atHome, apiKeyId)) !== undefined) return undefined
  throw new MoveRefused('There is no such API key; name it as callers do.')
}

/** Runs `work` with both databases, while no other command works on one of them, and ends it when this process is stopped. */
export async function withBoth(
  deps: KeyMoveDeps,
  { from, to }: Ends,
  work: (source: pg.Client, target: pg.Client) => Promise<void>,
  patience?: Patience,
): Promise<void> {
  const { home, sealer, atHome, homeUrl } = deps
  const urlOf = async (place: Place): Promise<string> => {
    if (place === undefined) return homeUrl
    const [bucket] = await home.run(GET_BUCKET, [place])
    if (bucket === undefined) throw new MoveRefused(`There is no bucket ${place}; see: commonhold buckets list`)
    await holdBucket(atHome, place, patience)
    await requireNoMove(deps, place)
    const url = sealer.open(bucket.sealedUrl, urlContext(place))
    if (readCitusUrl(url) !== undefined)
      throw new MoveRefused(`The bucket ${place} is on Citus, where keys are not moved; export and import their data.`)
    return url
  }
  const alive = (source: pg.Client, target: pg.Client) =>
    keptAlive([atHome, source, target], () => work(source, target))
  await between({ from: await urlOf(from), to: await urlOf(to) }, alive, patience)
}
