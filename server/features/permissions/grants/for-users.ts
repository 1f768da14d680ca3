/** Writes grants for calls about users, in their transactions: at sign-ins (rules/access.md#sign-in-grants), and by `users/update`. */
import type { AccessRole, ResourceName } from '#contract/access/permissions.ts'
import type { OrganizationKey } from '#contract/core/ids.ts'
import type { Session } from '#platform/db/db.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import type { Found } from '#tenancy/public-access.ts'
import type { RequestRow } from '#tenancy/writes/coalesced.ts'
import { lockOrganizations } from '#tenancy/writes/organization.ts'
import { GRANT_AT_SIGN_IN, SET_ROLES, type SignInGrantRow } from './add-statements.ts'
import { writtenGrants } from './merged.ts'
import { foundIn, grantName, grantRow, throwIfRefused } from './operations.ts'
import type { GrantRow } from './rows.ts'
import { FIND_OPEN_ORGANIZATIONS } from './statements.ts'

/**
 * A grant from a call that is repeated at every sign-in: `generate_token` or `users/add`, or from an accepted
 * invitation (rules/access.md#sign-in-grants).
 */
export interface SignInGrant {
  userId: string
  resource: ResourceName
  /** Absent: a live grant of the same kind keeps its role. */
  accessRole?: AccessRole | undefined
  /** The role where there is no live grant to keep; default: `editor`. */
  roleIfNew?: AccessRole
  expiresAt?: number | undefined
  replaceExisting?: boolean | undefined
  /** Written only in an organization that exists and is not disabled. */
  openOnly?: boolean
  createOrganization: boolean
  createResource: boolean
  /** The request field that names the resource, for error messages. */
  field: string
}

/**
 * Writes grants in the given transaction, all or nothing; returns the access types in force on their resources. Of each
 * user and resource, each kind of grant may appear only once.
 */
export async function grantAtSignIn(
  session: Session,
  caller: Caller,
  grants: readonly SignInGrant[],
): Promise<Found[]> {
  if (grants.length === 0) return []
  const rows: (SignInGrantRow & RequestRow)[] = grants.map((grant) => {
    const isOrganization = grant.resource.type === 'organization'
    return {
      req: 0,
      ...grantName(caller, grant.userId, grant.resource, mayCreateOrganization(caller, grant)),
      ...writtenGrants({ ...grant, accessRole: grant.accessRole ?? grant.roleIfNew }),
      expiringSoonSeconds: caller.expiringSoonSeconds,
      keep: grant.accessRole === undefined,
      knownOnly: caller.requireKnownResources && !(isOrganization ? grant.createOrganization : grant.createResource),
      createResource: grant.createResource,
    }
  })
  const locked = await lockOrganizations(session, rows)
  const open = grants.some(({ openOnly }) => openOnly) ? await openAmong(session, locked) : undefined
  const written = locked.flatMap((row, index) => {
    const grant = grants[index] as SignInGrant
    return grant.openOnly && !open?.has(row.organizationKey) ? [] : [{ row, grant }]
  })
  if (written.length === 0) return []
  const rowsWritten = written.map(({ row }) => row)
  const outcomes = await session.runSet(GRANT_AT_SIGN_IN, rowsWritten)
  const named = written.map(({ grant }) => grant)
  throwIfRefused(outcomes, named)
  return foundIn(outcomes, named)
}

const mayCreateOrganization = (caller: Caller, { createOrganization, openOnly = false }: SignInGrant): boolean =>
  !openOnly && (!caller.requireKnownResources || createOrganization)

/** Returns the organizations of rows that exist and are not disabled. Runs under their locks. */
async function openAmong(session: Session, rows: readonly GrantRow[]): Promise<ReadonlySet<OrganizationKey>> {
  const found = await session.runSet(FIND_OPEN_ORGANIZATIONS, rows)
  return new Set(found.map(({ organizationKey }) => organizationKey))
}

/** Returns the users who have a live grant on the resource, and now the role, and the access type in force on the resource. */
export async function setRoles(
  session: Session,
  caller: Caller,
  resource: ResourceName,
  users: readonly { userId: string; accessRole: AccessRole }[],
): Promise<{ granted: ReadonlySet<string>; found: Found[] }> {
  if (users.length === 0) return { granted: new Set(), found: [] }
  const rows = users.map(({ userId, accessRole }) => ({
    ...grantRow(caller, { principal: userId, resource, field: '', written: writtenGrants({ accessRole }) }),
    knownOnly: false,
    createOrganization: true,
    req: 0,
  }))
  const set = await session.runSet(SET_ROLES, rows)
  return {
    granted: new Set(set.map(({ userId }) => userId)),
    found: set.slice(0, 1).map((row) => ({ ...row, resource })),
  }
}
