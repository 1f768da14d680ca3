/** Puts decisions into the forms of the API (rules/access.md#answer, rules/access.md#permissions-get). */
import type { Decision, getPermissions, PermissionEntry, PermissionsByUser } from '#contract/access/decisions.ts'
import type { DataOf } from '#contract/core/operation.ts'
import type { Steps } from '#contract/validation/steps.ts'
import type { DecisionRow, QuestionRow } from './rows.ts'

/** Returns the map of `permissions/get`, in steps. */
export function* tabulate(
  data: DataOf<typeof getPermissions>,
  questions: readonly QuestionRow[],
  decisions: readonly DecisionRow[],
): Steps<PermissionsByUser> {
  type Entries = Map<string, PermissionEntry>
  const users = new Map<string, Record<QuestionRow['kind'], Entries>>()
  for (const [index, { userId, kind, resourceId }] of questions.entries()) {
    const user = users.get(userId) ?? { organization: new Map(), folder: new Map(), document: new Map() }
    users.set(userId, user)
    user[kind].set(resourceId, entryOf(kind, decisions[index] as DecisionRow))
    yield
  }
  return Object.fromEntries(
    [...users].map(([userId, { organization, folder, document }]) => [
      userId,
      {
        organization: Object.fromEntries(organization),
        ...(data.folderIds === undefined ? {} : { folders: Object.fromEntries(folder) }),
        ...(data.documentIds === undefined ? {} : { documents: Object.fromEntries(document) }),
      },
    ]),
  )
}

const DENIALS = {
  disabled: 'Access is disabled.',
  user_disabled: 'The user is disabled.',
  no_grant: 'The user has no permission.',
  grant_expired: "The user's permission has expired.",
  does_not_exist: 'It does not exist.',
} as const

function entryOf(kind: QuestionRow['kind'], row: DecisionRow): PermissionEntry {
  const { allowed, ...entry } = decisionOf(row)
  if (allowed || !(entry.reason in DENIALS)) return entry
  const missing = entry.reason === 'does_not_exist'
  return {
    ...entry,
    error: missing
      ? `${kind[0]?.toUpperCase()}${kind.slice(1)} does not exist.`
      : DENIALS[entry.reason as keyof typeof DENIALS],
    errorCode: missing ? 'does_not_exist' : 'permission_denied',
  }
}

/** Returns a decision in the form of the API, without the fields that are null. */
export function decisionOf(row: DecisionRow): Decision {
  const { allowed, reason, accessRole, accessType, viaType, viaId, viaGroupId, inherited, expiresAt, migratedTo } = row
  return {
    allowed,
    ...(accessRole === null ? {} : { accessRole }),
    ...(accessType === null ? {} : { accessType }),
    reason,
    ...(viaType === null
      ? {}
      : {
          via: {
            type: viaType,
            ...(viaId === null ? {} : { id: viaId }),
            inherited: inherited === true,
            ...(viaGroupId ? { group: viaGroupId } : {}),
          },
        }),
    ...(expiresAt === null ? {} : { expiresAt }),
    ...(migratedTo === null ? {} : { migratedTo }),
  }
}
