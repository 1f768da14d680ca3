/** SQL of moves, in the home database. */
import { statement } from '#platform/db/statement.ts'

interface MoveRow {
  sealedFrom: Buffer
  sealedTo: Buffer
  switchedAt: Date | null
}

export const GET_MOVE = statement<MoveRow>(
  'bucket-moves.get',
  /* sql */ `
  select from_url_sealed as "sealedFrom", to_url_sealed as "sealedTo", switched_at as "switchedAt"
    from bucket_moves where bucket = $1`,
)

export const INSERT_MOVE = statement<never>(
  'bucket-moves.add',
  'insert into bucket_moves (bucket, from_url_sealed, to_url_sealed) values ($1, $2::bytea, $3::bytea)',
)

/** A move as it was found: its sealed URLs identify it, so a command that slept in the meantime does not change a later move. */
const SAME = (first: number) => `from_url_sealed = $${first}::bytea and to_url_sealed = $${first + 1}::bytea`

/** Names the new database (`$2`) of a bucket, and records that it serves. */
export const SWITCH_BUCKET = statement<object>(
  'bucket-moves.switch',
  /* sql */ `
  with moved as (
    update bucket_moves set switched_at = clock_timestamp() where bucket = $1 and switched_at is null and ${SAME(3)} returning bucket
  )
  update buckets b set url_sealed = $2::bytea from moved where b.name = moved.bucket returning b.name`,
)

/** Makes a move that has switched one that takes the bucket back. In one statement: there is always a way back. */
export const REVERSE_MOVE = statement<never>(
  'bucket-moves.reverse',
  /* sql */ `
  update bucket_moves
     set from_url_sealed = to_url_sealed, to_url_sealed = from_url_sealed, started_at = clock_timestamp(), switched_at = null
   where bucket = $1 and switched_at is not null and ${SAME(2)}`,
)

export const DELETE_MOVE = statement<never>(
  'bucket-moves.delete',
  `delete from bucket_moves where bucket = $1 and ${SAME(2)}`,
)

/** Sets the sealed URL (`$2`) of the new database, whose password was changed. */
export const SET_MOVE_TARGET = statement<never>(
  'bucket-moves.set-target',
  'update bucket_moves set to_url_sealed = $2::bytea where bucket = $1 and switched_at is null',
)
