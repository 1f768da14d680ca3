/** Exports of idempotency keys for other features. */
import type { ApiKeyId } from '#contract/core/ids.ts'
import type { Session } from '#platform/db/db.ts'
import { prefixOfUser } from '#platform/secrets/tokens.ts'
import { FORGET_ANSWERS } from './statements.ts'

/** Deletes the stored responses to calls of users: whoever gets the id of one later must not get them. */
export async function forgetAnswers(
  session: Pick<Session, 'run'>,
  apiKeyId: ApiKeyId,
  userIds: readonly string[],
): Promise<void> {
  await session.run(FORGET_ANSWERS, [apiKeyId, userIds.map(prefixOfUser)])
}
