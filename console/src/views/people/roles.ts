/** The roles of people, from the least to the most, as a form shows them. */
import type { OperatorRole } from '#sdk/generated/operations.ts'

export const ROLES: { value: OperatorRole; label: string }[] = [
  { value: 'support', label: 'Support' },
  { value: 'developer', label: 'Developer' },
  { value: 'admin', label: 'Admin' },
  { value: 'owner', label: 'Owner' },
]

export const ROLE_TEXTS: Readonly<Record<OperatorRole, string>> = {
  support: 'Reads everything but secrets.',
  developer: 'Also changes data, and does everything with testing keys.',
  admin: 'Also does everything with production keys, and manages people who are no owners.',
  owner: 'Also manages owners and the tokens of the workspace.',
}
