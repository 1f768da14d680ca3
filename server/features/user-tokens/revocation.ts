/** Revokes the tokens of users, in a transaction of the caller (rules/keys.md#user-tokens). */
import type { Session } from '#platform/db/db.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import type { StreamEvent } from '#tenancy/events/record.ts'
import { REVOKE_TOKENS } from './statements.ts'

/**
 * Revokes all tokens of users, each named once. Waits for sign-ins in progress of users with a profile
 * and also revokes their tokens. Returns the events,
 * which must be recorded last, because all sign-ins share the stream of the key.
 */
export async function revokeTokensOf(
  session: Session,
  { apiKeyId, workspaceId, actor }: Caller,
  userIds: readonly string[],
): Promise<StreamEvent[]> {
  const revoked = await session.runSet(
    REVOKE_TOKENS,
    userIds.map((userId) => ({ apiKeyId, userId })),
  )
  return revoked.map(({ userId, tokensSince }) => {
    const after = { tokensSince: tokensSince.getTime() }
    return { type: 'user_token.revoked', workspaceId, apiKeyId, userId, actor, after }
  })
}
