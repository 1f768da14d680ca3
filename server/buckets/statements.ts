/** SQL of the directory: which buckets exist, and which API keys they have. It runs in the home database. */
import { statement } from '#platform/db/statement.ts'

export interface BucketRow {
  name: string
  sealedUrl: Buffer
}

export const GET_BUCKETS = statement<BucketRow>(
  'buckets.get',
  'select name, url_sealed as "sealedUrl" from buckets order by name',
)

export const GET_BUCKET = statement<{ sealedUrl: Buffer }>(
  'buckets.get-one',
  'select url_sealed as "sealedUrl" from buckets where name = $1',
)

export interface CountedBucketRow extends BucketRow {
  region: string | null
  takesKeys: boolean
  keys: number
}

/** Counts the keys of each bucket, too. */
export const COUNT_BUCKETS = statement<CountedBucketRow>(
  'buckets.count',
  /* sql */ `
  select b.name, b.url_sealed as "sealedUrl", b.region, b.takes_keys as "takesKeys",
         (select count(*)::int from key_places p where p.bucket = b.name and p.type <> 'deleted') as keys
    from buckets b order by b.name`,
)

/**
 * Returns the bucket of an API key (`$1`); null if the key is in the home database or does not exist. `isClosed`: the
 * key is being moved, and at this moment neither database accepts its credentials.
 */
export const FIND_PLACE = statement<{ bucket: string | null; isClosed: boolean }>(
  'buckets.find-place',
  /* sql */ `
  select (select bucket from key_places where api_key_id = $1) as bucket,
         exists (select from key_moves where api_key_id = $1 and finished_at is null and closed_at is not null and switched_at is null) as "isClosed"`,
)

/** Returns the buckets that have or had API keys of a workspace (`$1`): its keys there, and all including deleted and moved ones. */
export const GET_HOLDINGS = statement<{ bucket: string; apiKeys: string[]; all: string[] }>(
  'buckets.of-workspace',
  /* sql */ `
  select bucket, coalesce(array_agg(api_key_id) filter (where is_there), '{}') as "apiKeys", array_agg(api_key_id) as "all"
    from (select bucket, api_key_id, type <> 'deleted' as is_there from key_places where workspace_id = $1
          union all
          select from_bucket, api_key_id, false from key_moves where workspace_id = $1 and from_bucket is not null) held
   group by bucket order by bucket`,
)

export const ADD_PLACE = statement<never>(
  'buckets.add-place',
  'insert into key_places (api_key_id, workspace_id, bucket, type) values ($1, $2, $3, $4)',
)

/** Records that a key was deleted. The row stays: the bucket still has the events of the workspace about the key. */
export const FORGET_PLACE = statement<never>(
  'buckets.forget-place',
  `update key_places set type = 'deleted' where api_key_id = $1 and workspace_id = $2 and bucket = $3`,
)

export const COUNT_PLACED = statement<{ count: number }>(
  'buckets.count-placed',
  `select count(*)::int as count from key_places where workspace_id = $1 and type = 'production'`,
)

export const ADD_BUCKET = statement<never>(
  'buckets.add',
  'insert into buckets (name, url_sealed, region) values ($1, $2::bytea, $3)',
)

/**
 * Sets the given values that are not null: the region, which an empty text removes, whether the bucket takes new keys,
 * and its sealed URL.
 */
export const SET_BUCKET = statement<{ region: string | null; takesKeys: boolean }>(
  'buckets.set',
  /* sql */ `
  update buckets set region = nullif(coalesce($2, region), ''), takes_keys = coalesce($3, takes_keys), url_sealed = coalesce($4::bytea, url_sealed)
   where name = $1
  returning region, takes_keys as "takesKeys"`,
)

/** Returns the API keys of a bucket (`$1`). */
export const GET_KEYS_OF_BUCKET = statement<{ id: string }>(
  'buckets.keys',
  `select api_key_id as id from key_places where bucket = $1 and type <> 'deleted'`,
)
