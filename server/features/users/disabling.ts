/** Disables and enables users in the data set of an API key (rules/access.md#disabled-users, ADR 0036). */

import type { BatchResult, ItemResult } from '#contract/core/envelope.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { DataOf, ResultOf } from '#contract/core/operation.ts'
import type { disableUsers, listDisabledUsers } from '#contract/users/disabled-users.ts'
import type { Db, Session } from '#platform/db/db.ts'
import type { Paged, PageTokens } from '#platform/secrets/page-token.ts'
import { credentialsInvalid } from '#platform/status-error.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { userServiceId } from '#tenancy/callers/keys.ts'
import { DELETE_DISABLED_USERS } from '#tenancy/disabled-users.ts'
import { recordStreamEvents } from '#tenancy/events/record.ts'
import { changeApiKey } from '#tenancy/writes/api-key.ts'
import {
  DISABLE_USERS,
  LIST_DISABLED_USERS,
  LIST_NAMED_DISABLED_USERS,
  REVOKE_TOKENS_OF_DISABLED,
  SET_HAS_DISABLED_USERS,
} from './disabling-statements.ts'

export function createDisabling({ db, pageTokens }: { db: Db; pageTokens: PageTokens }) {
  return {
    async set(caller: Caller, { userIds, disabled }: DataOf<typeof disableUsers>): Promise<BatchResult> {
      const users = [...new Set(userIds)]
      const change = (session: Session) => setUsersDisabled(session, caller, users, disabled)
      await changeApiKey(db, caller, caller.apiKeyId, change, credentialsInvalid)
      const message = `User ${disabled ? 'disabled' : 'enabled'} successfully.`
      return Object.fromEntries(
        users.map((userId): [string, ItemResult] => [
          userId,
          { success: true, id: userServiceId(caller, userId), message },
        ]),
      )
    },

    async list(
      { apiKeyId }: Caller,
      { userIds, pageSize = LIMITS.pageSizeMax, pageToken }: DataOf<typeof listDisabledUsers>,
    ): Promise<Paged<ResultOf<typeof listDisabledUsers>>> {
      const scope = ['disabled-users.list', apiKeyId, userIds]
      const values = [apiKeyId, pageTokens.decode(scope, pageToken), pageSize + 1]
      const rows =
        userIds === undefined
          ? await db.run(LIST_DISABLED_USERS, values)
          : await db.run(LIST_NAMED_DISABLED_USERS, [...values, userIds])
      const { page, next } = pageTokens.cut(scope, rows, pageSize, ({ userId }) => userId)
      const users = page.map(({ userId, disabledAt }) => ({ userId, disabledAt: disabledAt.getTime() }))
      return { data: { users }, ...next }
    },
  }
}

/**
 * Disables or enables users, each named once, and records an event for each whose state changes. Must run under the
 * lock of the API key. Enabling revokes the earlier user tokens. While a user is disabled no token is valid anyway, and
 * a sign-in that was under way when the user was disabled may have stored a profile that the disabling call could not
 * see.
 */
export async function setUsersDisabled(
  session: Session,
  { apiKeyId, workspaceId, actor }: Pick<Caller, 'apiKeyId' | 'workspaceId' | 'actor'>,
  userIds: readonly string[],
  disabled: boolean,
): Promise<void> {
  const rows = userIds.map((userId) => ({ apiKeyId, userId }))
  if (!disabled) await session.runSet(REVOKE_TOKENS_OF_DISABLED, rows)
  const changed = await session.runSet(disabled ? DISABLE_USERS : DELETE_DISABLED_USERS, rows)
  if (changed.length === 0) return
  await session.run(SET_HAS_DISABLED_USERS, [apiKeyId])
  const type = disabled ? ('user.disabled' as const) : ('user.enabled' as const)
  await recordStreamEvents(
    session,
    changed.map(({ userId }) => ({
      type,
      workspaceId,
      apiKeyId,
      userId,
      actor,
      before: { disabled: !disabled },
      after: { disabled },
    })),
  )
}
