/** The roles of people, from the least to the most, as a form shows them. */
import type { OperatorRole } from '#sdk/generated/operations.ts'
import { useRefusal } from '../../session/permission.ts'

const ROLES: { value: OperatorRole; label: string }[] = [
  { value: 'support', label: 'Support' },
  { value: 'developer', label: 'Developer' },
  { value: 'admin', label: 'Admin' },
  { value: 'owner', label: 'Owner' },
]

export const labelOf = (role: OperatorRole): string => ROLES.find(({ value }) => value === role)?.label ?? role

/** Returns the roles that the signed-in person may give: only owners make owners. */
export function useGivenRoles(): readonly { value: OperatorRole; label: string }[] {
  const mayMakeOwners = useRefusal('operators.update', { least: 'owner' }) === undefined
  return ROLES.filter(({ value }) => value !== 'owner' || mayMakeOwners)
}

export const ROLE_TEXTS: Readonly<Record<OperatorRole, string>> = {
  support: 'Reads everything but secrets.',
  developer: 'Changes data, and does everything with testing keys.',
  admin: 'Does everything but manage owners and the tokens of the workspace.',
  owner: 'Does everything.',
}
