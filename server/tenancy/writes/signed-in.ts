/** Refuses writes with a user token that was revoked after the call was authenticated (rules/data.md#writers-and-erasures). */
import type { Session } from '#platform/db/db.ts'
import { statement } from '#platform/db/statement.ts'
import { credentialsInvalid } from '#platform/status-error.ts'
import { type AnyCaller, isUser } from '../callers/own-user.ts'

export const FIND_SIGNED_IN = statement<object>(
  'users.find-signed-in',
  'select from users where api_key_id = $1 and user_id = $2 and tokens_since = $3::timestamptz',
)

/**
 * Refuses a call whose user token was revoked while the call waited, for the rest of its body or for a lock. Runs in the
 * transaction of the write, after its first lock: from then on an erasure of the user waits for the transaction to end.
 */
export async function requireSignedIn(session: Session, caller: AnyCaller): Promise<void> {
  if (!isUser(caller)) return
  const { apiKeyId, userId, tokensSince } = caller
  const [user] = await session.run(FIND_SIGNED_IN, [apiKeyId, userId, new Date(tokensSince)])
  if (user === undefined) throw credentialsInvalid()
}
