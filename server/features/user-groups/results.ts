/** The results of batch calls on user groups. */
import { type BatchResult, failed, type ItemResult } from '#contract/core/envelope.ts'
import type { OrganizationKey } from '#contract/core/ids.ts'
import type { UserGroupUserResult } from '#contract/users/user-groups.ts'
import { userGroupServiceId } from '#tenancy/callers/keys.ts'

export type UserResults = Record<string, UserGroupUserResult>

export const doesNotExist = (groupId: string): ItemResult =>
  failed(groupId, 'not-found', 'The user group does not exist.')

/** Returns a result for each of the `requested` groups; those in `changed` succeeded. */
export function results(
  key: OrganizationKey,
  requested: readonly string[],
  changed: readonly string[],
  verb: 'added' | 'updated' | 'deleted',
  failure: (groupId: string) => ItemResult = doesNotExist,
): BatchResult {
  const succeeded = new Set(changed)
  return Object.fromEntries(
    requested.map((groupId): [string, ItemResult] => [
      groupId,
      succeeded.has(groupId)
        ? { success: true, id: userGroupServiceId(key, groupId), message: `User group ${verb} successfully.` }
        : failure(groupId),
    ]),
  )
}

/** Returns a result for each of the `requested` users; those in `changed` succeeded. */
export function userResults(
  organizationUserGroupId: string,
  requested: readonly string[],
  changed: readonly { userId: string }[],
  messages: { success: string; failure: string },
): UserResults {
  const succeeded = new Set(changed.map(({ userId }) => userId))
  return Object.fromEntries(
    requested.map((userId): [string, UserGroupUserResult] => [
      userId,
      succeeded.has(userId)
        ? { success: true, organizationUserGroupId, message: messages.success }
        : { success: false, organizationUserGroupId, message: messages.failure, code: 'not-found', retryable: false },
    ]),
  )
}
