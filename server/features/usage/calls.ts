/** Counts a call: the call itself, the decisions that it requests, and the users that it shows to be active (rules/keys.md#usage). */

import type { checkPermissions, getPermissions } from '#contract/access/decisions.ts'
import type { DataOf } from '#contract/core/operation.ts'
import type { generateToken } from '#contract/users/user-tokens.ts'
import type { EndedCall } from '#http/pipeline.ts'
import type { KeyCounts } from './counting.ts'

/** Counts a call that has ended. Its body was valid if its status is a success. */
export function countCall(
  counts: KeyCounts,
  { operation, caller, body, decidedUsers, status, isAnswered }: EndedCall,
): void {
  counts.calls++
  if (status >= 500) counts.failed++
  else if (status >= 400) counts.refused++
  if (status >= 400 || !isAnswered) return
  if (caller !== undefined && 'userId' in caller) counts.addUser(caller.userId)
  const count = COUNTED[operation]
  if (count !== undefined) count(counts, body)
  counts.checks += decidedUsers.length
  for (const userId of decidedUsers) counts.addUser(userId)
}

const COUNTED: Readonly<Record<string, (counts: KeyCounts, body: unknown) => void>> = {
  'permissions.check': (counts, body) => {
    const { checks } = dataOf<typeof checkPermissions>(body)
    counts.checks += checks.length
    for (const { userId } of checks) if (userId !== undefined) counts.addUser(userId)
  },
  'permissions.get': (counts, body) => {
    const { userIds, folderIds = [], documentIds = [] } = dataOf<typeof getPermissions>(body)
    const users = new Set(userIds)
    counts.checks += Math.max(users.size, 1) * (1 + new Set(folderIds).size + new Set(documentIds).size)
    for (const userId of users) counts.addUser(userId)
  },
  'user-tokens.generate': (counts, body) => counts.addUser(dataOf<typeof generateToken>(body).userId),
}

const dataOf = <Op>(body: unknown): DataOf<Op> => (body as { data: DataOf<Op> }).data
