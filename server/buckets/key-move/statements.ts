/** SQL of moves of single API keys, in the home database. */
import { statement } from '#platform/db/statement.ts'

export interface KeyMoveRow {
  /** Null: the home database. */
  from: string | null
  to: string | null
  isClosed: boolean
  isSwitched: boolean
}

/** Returns the unfinished move of an API key (`$1`). */
export const GET_KEY_MOVE = statement<KeyMoveRow>(
  'key-moves.get',
  /* sql */ `
  select from_bucket as "from", to_bucket as "to", closed_at is not null as "isClosed", switched_at is not null as "isSwitched"
    from key_moves where api_key_id = $1 and finished_at is null`,
)

/** Returns unfinished moves of API keys from or to a bucket (`$1`). */
export const GET_KEY_MOVES_OF_BUCKET = statement<{ apiKeyId: string }>(
  'key-moves.of-bucket',
  /* sql */ `
  select api_key_id as "apiKeyId" from key_moves
   where (from_bucket = $1 or to_bucket = $1) and finished_at is null`,
)

/** Returns the keys whose changes may be refused: none of them is switched. */
export const GET_KEYS_NOT_SWITCHED = statement<{ apiKeyId: string }>(
  'key-moves.not-switched',
  `select api_key_id as "apiKeyId" from key_moves where finished_at is null and switched_at is null`,
)

export const ADD_KEY_MOVE = statement<never>(
  'key-moves.add',
  'insert into key_moves (api_key_id, workspace_id, from_bucket, to_bucket) values ($1, $2, $3, $4)',
)

/** Records that calls with the key are refused until the switch: no process takes its credentials for wrong. */
export const CLOSE_KEY = statement<never>(
  'key-moves.close',
  'update key_moves set closed_at = coalesce(closed_at, clock_timestamp()) where api_key_id = $1 and finished_at is null',
)

/** Names the new place of the key (`$1`, of the type `$2`). */
export const SWITCH_KEY = statement<{ workspaceId: string }>(
  'key-moves.switch',
  /* sql */ `
  with moved as (
    update key_moves set switched_at = clock_timestamp() where api_key_id = $1 and finished_at is null and switched_at is null
    returning api_key_id, workspace_id, to_bucket
  ),
  home as (delete from key_places p using moved m where p.api_key_id = m.api_key_id and m.to_bucket is null),
  placed as (
    insert into key_places (api_key_id, workspace_id, bucket, type)
    select api_key_id, workspace_id, to_bucket, $2 from moved where to_bucket is not null
    on conflict (api_key_id) do update set bucket = excluded.bucket
  )
  select workspace_id as "workspaceId" from moved`,
)

export const FINISH_KEY_MOVE = statement<never>(
  'key-moves.finish',
  'update key_moves set finished_at = clock_timestamp() where api_key_id = $1 and finished_at is null and switched_at is not null',
)

export const DELETE_KEY_MOVE = statement<never>(
  'key-moves.delete',
  'delete from key_moves where api_key_id = $1 and closed_at is null and finished_at is null',
)

/** Returns for how many more seconds a process may not know of a bucket (`$1`) that was just created. */
export const SECONDS_UNTIL_KNOWN = statement<{ seconds: number }>(
  'buckets.until-known',
  `select greatest(extract(epoch from created_at + interval '10 seconds' - clock_timestamp()), 0)::float8 as seconds from buckets where name = $1`,
)
