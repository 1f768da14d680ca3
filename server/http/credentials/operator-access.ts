/**
 * The role and the recent sign-in that a call requires of an operator, and the refusals of operators without them
 * (rules/operators.md#roles).
 */

import type { Operation, Scope } from '#contract/core/operation.ts'
import type { KeyType } from '#contract/keys/api-keys.ts'
import {
  isAtLeast,
  LEAST_TO_READ,
  type LeastRoles,
  leastRolesOf,
  needsFreshSignIn,
  type OperatorRole,
  roleMissing,
} from '#contract/workspace/operator-roles.ts'
import { StatusError } from '#platform/status-error.ts'

/** An operator in a console session, as stored at the moment of the call. */
export interface SignedInOperator {
  id: string
  name: string
  email: string
  role: OperatorRole
  /** Whether they have proved who they are within the last minutes. */
  isFresh: boolean
}

export interface Needs {
  /** The scope of auth tokens; undefined for calls of workspaces. */
  scope?: Scope | undefined
  roles: LeastRoles
  freshSignIn: boolean
}

export const needsOf = (operation: Operation): Needs => ({
  scope: operation.scope,
  roles: leastRolesOf(operation),
  freshSignIn: needsFreshSignIn(operation),
})

/** The requirement of calls outside the contract that read data of an API key. */
export const NEEDS_TO_READ: Needs = { scope: 'read', roles: LEAST_TO_READ, freshSignIn: false }

const freshSignInMissing = () =>
  new StatusError(
    'PERMISSION_DENIED',
    'sign_in_again',
    'Sign in again to confirm that it is you; then repeat the call.',
  )

function requireRole(role: OperatorRole, least: OperatorRole): void {
  if (!isAtLeast(role, least)) throw new StatusError('PERMISSION_DENIED', 'role_missing', roleMissing(role, least))
}

/** Refuses an operator who may not make the call with a key of this type. */
export function requireOperator({ role, isFresh }: SignedInOperator, needs: Needs, type: KeyType): void {
  requireRole(role, needs.roles[type])
  if (needs.freshSignIn && !isFresh) throw freshSignInMissing()
}

/** Returns the API key that a call of a workspace would change, or the type of the one that it would create. */
function subjectOf(data: object): { apiKey?: string; type?: KeyType } {
  const { type, apiKey, targetApiKey } = data as { type?: KeyType; apiKey?: string; targetApiKey?: string }
  const named = targetApiKey ?? apiKey
  return { ...(type === undefined ? {} : { type }), ...(named === undefined ? {} : { apiKey: named }) }
}

/**
 * Refuses an operator whose role is enough for testing keys alone, if the call is about a production key. An unknown
 * key is not refused here.
 */
export async function requireRoleForKey(
  role: OperatorRole,
  { roles }: Needs,
  data: object,
  typeOf: (apiKey: string) => Promise<KeyType | undefined>,
): Promise<void> {
  if (isAtLeast(role, roles.production)) return
  const { apiKey, type = apiKey === undefined ? undefined : await typeOf(apiKey) } = subjectOf(data)
  if (type === 'production') requireRole(role, roles.production)
}
