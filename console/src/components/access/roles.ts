/** The roles that the grants of an API key can have, and their words. */
import { useQuery } from '@tanstack/react-query'
import type { AccessRole } from '#sdk/generated/operations.ts'
import { keyConfigQuery } from '../../queries/keys/key-settings.ts'
import { useKey } from '../../session/use-session.ts'

/** The roles of a key that has no role `commenter`. */
export const PLAIN_ROLES: readonly AccessRole[] = ['viewer', 'editor']

export const ROLE_LABELS: Readonly<Record<AccessRole, string>> = {
  viewer: 'Viewer: can read',
  commenter: 'Commenter: can read and comment',
  editor: 'Editor: can read and write',
}

/** The actions that each role allows. */
export const ROLE_VERBS: Readonly<Record<AccessRole, string>> = {
  viewer: 'view',
  commenter: 'view and comment on',
  editor: 'view and change',
}

/** Returns the roles of the key, from the weakest to the strongest. Until they are known, those that every key has. */
export function useAccessRoles(): readonly AccessRole[] {
  const { data } = useQuery(keyConfigQuery(useKey()))
  return data?.accessRoles ?? PLAIN_ROLES
}
