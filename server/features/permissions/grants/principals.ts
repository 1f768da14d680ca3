/** The user or the user group whose grants a call names. */
import { invalidArgument } from '#platform/status-error.ts'
import { principalOfGroup } from '#tenancy/principals.ts'

interface Named {
  userId?: string | undefined
  groupId?: string | undefined
}

/** Returns the principal that a call names: exactly one of user and group, in the given fields. */
export function principalOf({ userId, groupId }: Named, { user, group }: { user: string; group: string }): string {
  if (userId !== undefined && groupId !== undefined)
    throw invalidArgument([{ field: group, message: `${group} must not be given together with ${user}` }])
  if (userId !== undefined) return userId
  if (groupId === undefined) throw invalidArgument([{ field: user, message: `${user} or ${group} is required` }])
  return principalOfGroup(groupId)
}

export const fieldsIn = (path: string) => ({ user: `${path}.userId`, group: `${path}.groupId` })
