/** The SQL statements that disable and enable users. */
import type { ApiKeyId } from '#contract/core/ids.ts'
import { setStatement, statement } from '#platform/db/statement.ts'
import { NEXT_TOKENS_SINCE } from './profile-statements.ts'

interface UserName {
  apiKeyId: ApiKeyId
  userId: string
}

/** Disables users; returns those that were not disabled. Runs under the lock of the API key. */
export const DISABLE_USERS = setStatement<UserName, { userId: string }>(
  'users.disable',
  { apiKeyId: 'text', userId: 'text' },
  /* sql */ `
  insert into disabled_users (api_key_id, user_id, disabled_at)
  select api_key_id, user_id, coalesce($now, clock_timestamp()) from $input order by api_key_id, user_id
  on conflict (api_key_id, user_id) do nothing
  returning user_id as "userId"`,
)

/**
 * Revokes the user tokens of disabled users who are about to be enabled. Runs under the lock of the API key, and before their
 * rows in `disabled_users` are locked, as an erasure does.
 */
export const REVOKE_TOKENS_OF_DISABLED = setStatement<UserName, never>(
  'users.revoke-tokens-of-disabled',
  { apiKeyId: 'text', userId: 'text' },
  /* sql */ `
  with held as materialized (
    select u.api_key_id, u.user_id from users u
     where (u.api_key_id, u.user_id) in (select d.api_key_id, d.user_id from $input
                                           join disabled_users d on d.api_key_id = item.api_key_id and d.user_id = item.user_id)
     order by u.api_key_id, u.user_id for no key update
  )
  update users u set tokens_since = ${NEXT_TOKENS_SINCE}
    from held where u.api_key_id = held.api_key_id and u.user_id = held.user_id`,
)

/** Records whether API key `$1` has disabled users. Runs under its lock: otherwise a concurrent change could record that it has none. */
export const SET_HAS_DISABLED_USERS = statement<never>(
  'users.set-has-disabled',
  /* sql */ `
  with disabled as materialized (select exists (select from disabled_users where api_key_id = $1) as is_there)
  update api_keys k set has_disabled_users = disabled.is_there
    from disabled where k.api_key_id = $1 and k.has_disabled_users <> disabled.is_there`,
)

/** Lists at most `$3` disabled users of API key `$1` in user id order, after `$2`. */
export const LIST_DISABLED_USERS = statement<{ userId: string; disabledAt: Date }>(
  'disabled-users.list',
  /* sql */ `
  select user_id as "userId", disabled_at as "disabledAt" from disabled_users
   where api_key_id = $1 and user_id > coalesce($2::text, '')
   order by user_id limit $3::int`,
)

/** Lists which of the users `$4` are disabled. */
export const LIST_NAMED_DISABLED_USERS = statement<{ userId: string; disabledAt: Date }>(
  'disabled-users.list-named',
  /* sql */ `
  select user_id as "userId", disabled_at as "disabledAt" from disabled_users
   where api_key_id = $1 and user_id = any($4::text[]) and user_id > coalesce($2::text, '')
   order by user_id limit $3::int`,
)
