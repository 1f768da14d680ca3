/** The order of access roles. For the client's access history, the command line and the console; not part of the published package. */
import type { AccessRole } from '../generated/operations.ts'

/** From the weakest to the strongest. */
const ROLES: readonly AccessRole[] = ['viewer', 'commenter', 'editor']

export const isStronger = (one: AccessRole, other: AccessRole): boolean => ROLES.indexOf(one) > ROLES.indexOf(other)

/** Returns the first of the grants with the strongest role; undefined if there are none. */
export const strongest = <Grant extends { accessRole: AccessRole }>(grants: readonly Grant[]): Grant | undefined =>
  grants.reduce<Grant | undefined>(
    (best, grant) => (best === undefined || isStronger(grant.accessRole, best.accessRole) ? grant : best),
    undefined,
  )
