/** The SQL statements of profiles. */
import { profileProperties } from '#contract/users/user-records.ts'
import { setStatement, statement } from '#platform/db/statement.ts'
import { FITS } from '#tenancy/metadata.ts'
import { byName, type Positioned } from '#tenancy/name-order.ts'
import { withinPage } from '#tenancy/page-bytes.ts'

/**
 * The value of `tokens_since` that revokes all tokens of user `u`: later than the one before, even if the clock stands
 * still or goes back.
 */
export const NEXT_TOKENS_SINCE = /* sql */ `greatest(u.tokens_since + interval '1 millisecond', date_trunc('milliseconds', coalesce($now, clock_timestamp())))`

/** Returns SQL of the metadata of a profile: its other fields have limits of their own. */
const METADATA = (profile: string): string =>
  `(${profile} - array[${Object.keys(profileProperties)
    .map((name) => `'${name}'`)
    .join(', ')}])`

export interface ProfileRow {
  apiKeyId: string
  userId: string
  /** The given fields, including `name` and `email`; null clears a field, absent fields are kept. */
  profile: object
}

export interface StoredProfile {
  userId: string
  outcome: 'updated' | 'unchanged' | 'too_large'
  before: object
  after: object
}

/**
 * Adds empty profiles for users without one, each at most once; returns the added ones. Of two concurrent calls, only
 * one adds a profile.
 */
export const ADD_MISSING_USERS = setStatement<{ apiKeyId: string; userId: string }, { userId: string }>(
  'users.add-missing',
  { apiKeyId: 'text', userId: 'text' },
  /* sql */ `
  insert into users (api_key_id, user_id)
  select api_key_id, user_id from $input
   where not exists (select from users u where u.api_key_id = item.api_key_id and u.user_id = item.user_id)
   order by api_key_id, user_id
  on conflict (api_key_id, user_id) do nothing
  returning user_id as "userId"`,
)

/**
 * Merges profiles of users, each at most once. Their rows exist, because `users.add-missing` has run in the transaction; it
 * locks them in user id order. A merged profile whose metadata would exceed the limits is refused and does not change.
 */
export const MERGE_PROFILES = setStatement<ProfileRow, StoredProfile>(
  'users.merge',
  { apiKeyId: 'text', userId: 'text', profile: 'jsonb' },
  /* sql */ `
  with item as materialized (select * from $input),
  held as materialized (
    select u.api_key_id, u.user_id, u.profile from users u
     where (u.api_key_id, u.user_id) in (select api_key_id, user_id from item)
     order by u.api_key_id, u.user_id for no key update
  ),
  merged as materialized (
    select held.api_key_id, held.user_id, held.profile as before,
           (select coalesce(jsonb_object_agg(key, value), '{}')
              from jsonb_each(held.profile || item.profile) where value <> 'null') as after
      from item join held on held.api_key_id = item.api_key_id and held.user_id = item.user_id
  ),
  checked as materialized (select *, ${FITS(METADATA('after'), METADATA('before'))} as fits from merged),
  written as (
    update users u set profile = j.after from checked j
     where j.fits and j.before <> j.after and u.api_key_id = j.api_key_id and u.user_id = j.user_id
  )
  select user_id as "userId", before, after,
         case when not fits then 'too_large' when before <> after then 'updated' else 'unchanged' end as outcome
    from checked`,
)

/** Lists at most `$3` profiles of API key `$1` in user id order, after `$2`. */
export const LIST_PROFILES = statement<{ userId: string; profile: Record<string, unknown> }>(
  'profiles.list',
  withinPage(
    /* sql */ `
  select user_id as "userId", profile from users
   where api_key_id = $1 and user_id > coalesce($2::text, '')
   order by user_id limit $3::int`,
    'profile',
  ),
)

/** Lists the profiles of the users `$4`. */
export const LIST_NAMED_PROFILES = statement<{ userId: string; profile: Record<string, unknown> }>(
  'profiles.list-named',
  withinPage(
    /* sql */ `
  select user_id as "userId", profile from users
   where api_key_id = $1 and user_id = any($4::text[]) and user_id > coalesce($2::text, '')
   order by user_id limit $3::int`,
    'profile',
  ),
)

/** Lists at most `$3` profiles by name, after the position `$2`. */
export const LIST_PROFILES_BY_NAME = byName(
  { name: "u.profile ->> 'name'", id: 'u.user_id', after: '$2' },
  ({ orderBy, position, following, order }) =>
    statement<{ userId: string; profile: Record<string, unknown> } & Positioned>(
      `profiles.list by ${orderBy}`,
      withinPage(
        /* sql */ `
  select u.user_id as "userId", u.profile, ${position} from users u
   where u.api_key_id = $1 and ${following} order by ${order} limit $3::int`,
        'profile',
      ),
    ),
)

/** Locks the profiles of the named users until the transaction ends; returns the users who have one. */
export const LOCK_PROFILES = setStatement<{ apiKeyId: string; userId: string }, { userId: string }>(
  'users.lock',
  { apiKeyId: 'text', userId: 'text' },
  /* sql */ `
  select u.user_id as "userId" from users u
   where (u.api_key_id, u.user_id) in (select api_key_id, user_id from $input)
   order by u.api_key_id, u.user_id for no key update`,
)
