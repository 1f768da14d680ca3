/** A move as it is stored in the home database. */
import type pg from 'pg'
import type { Db } from '#platform/db/db.ts'
import type { Sealer } from '#platform/secrets/seal.ts'
import { urlContext } from '../directory.ts'
import { GET_BUCKET } from '../statements.ts'
import type { Both } from './databases.ts'
import { MoveRefused } from './servers.ts'
import { GET_MOVE } from './statements.ts'

export interface MoveDeps {
  home: Db
  sealer: Sealer
  /** A connection to the home database. */
  atHome: pg.ClientBase
  say: (line: string) => void
}

export interface Move extends Both {
  switchedAt: Date | null
  /** Both sealed URLs, which no other move has. */
  sealed: readonly [from: Buffer, to: Buffer]
}

/** Refuses a bucket that is being moved: it is in two databases, and either can become the one that serves. */
export async function requireNoMove({ home }: Pick<MoveDeps, 'home'>, name: string): Promise<void> {
  if ((await home.run(GET_MOVE, [name])).length > 0) throw isMoving(name)
}

export const isMoving = (name: string) =>
  new MoveRefused(`The bucket ${name} is being moved; finish that with --confirm, or give it up with --undo.`)

/** Returns the URL of a bucket, and its move. Until a move has switched, the bucket is where its own URL says. */
export async function findMove(
  { home, sealer }: Pick<MoveDeps, 'home' | 'sealer'>,
  name: string,
): Promise<{ url: string; move: Move | undefined }> {
  const [bucket] = await home.run(GET_BUCKET, [name])
  if (bucket === undefined) throw new MoveRefused(`There is no bucket ${name}; see: commonhold buckets list`)
  const open = (sealed: Buffer) => sealer.open(sealed, urlContext(name))
  const url = open(bucket.sealedUrl)
  const [row] = await home.run(GET_MOVE, [name])
  if (row === undefined) return { url, move: undefined }
  const { sealedFrom, sealedTo, switchedAt } = row
  const from = switchedAt === null ? url : open(sealedFrom)
  return { url, move: { from, to: open(sealedTo), switchedAt, sealed: [sealedFrom, sealedTo] } }
}
