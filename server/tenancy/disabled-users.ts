/** Looks up whether a user is disabled, which decisions do in their own statement, and enables users. */
import type { ApiKeyId } from '#contract/core/ids.ts'
import type { Session } from '#platform/db/db.ts'
import { setStatement, statement } from '#platform/db/statement.ts'
import type { Caller } from './callers/caller.ts'

/**
 * SQL: whether a user is disabled in an API key. With `offset 0`, the row is always found by its key. Without it, a statement about
 * many users could first read the disabled users of all API keys.
 */
export const userDisabled = (apiKeyId: string, userId: string): string =>
  /* sql */ `exists (select from disabled_users d where d.api_key_id = ${apiKeyId} and d.user_id = ${userId} offset 0)`

export const FIND_DISABLED_USER = statement<object>(
  'disabled-users.find',
  'select from disabled_users where api_key_id = $1 and user_id = $2',
)

/** Enables users; returns those that were disabled. Runs under the lock of the API key, or of an erasure of the users. */
export const DELETE_DISABLED_USERS = setStatement<{ apiKeyId: ApiKeyId; userId: string }, { userId: string }>(
  'disabled-users.delete',
  { apiKeyId: 'text', userId: 'text' },
  /* sql */ `
  with held as materialized (
    select d.api_key_id, d.user_id from disabled_users d
     where (d.api_key_id, d.user_id) in (select api_key_id, user_id from $input)
     order by d.api_key_id, d.user_id for update
  )
  delete from disabled_users d using held where d.api_key_id = held.api_key_id and d.user_id = held.user_id
  returning d.user_id as "userId"`,
)

/** Whether a user is disabled. Costs a query only where the API key may have disabled users. */
export async function isUserDisabled(
  session: Session,
  { apiKeyId, hasDisabledUsers }: Pick<Caller, 'apiKeyId' | 'hasDisabledUsers'>,
  userId: string,
): Promise<boolean> {
  return hasDisabledUsers && (await session.run(FIND_DISABLED_USER, [apiKeyId, userId])).length > 0
}
