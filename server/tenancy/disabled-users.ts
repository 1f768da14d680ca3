/** Looks up whether a user is disabled. Decisions do so in their own statement. */
import type { Session } from '#platform/db/db.ts'
import { statement } from '#platform/db/statement.ts'
import type { Caller } from './callers/caller.ts'

/** SQL: whether a user is disabled in an API key. */
export const userDisabled = (apiKeyId: string, userId: string): string =>
  /* sql */ `exists (select from disabled_users d where d.api_key_id = ${apiKeyId} and d.user_id = ${userId})`

export const FIND_DISABLED_USER = statement<object>(
  'disabled-users.find',
  'select from disabled_users where api_key_id = $1 and user_id = $2',
)

/** Whether a user is disabled. Costs a query only where the API key may have disabled users. */
export async function isUserDisabled(
  session: Session,
  { apiKeyId, hasDisabledUsers }: Pick<Caller, 'apiKeyId' | 'hasDisabledUsers'>,
  userId: string,
): Promise<boolean> {
  return hasDisabledUsers && (await session.run(FIND_DISABLED_USER, [apiKeyId, userId])).length > 0
}
