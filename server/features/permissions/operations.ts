/** Granting roles, taking them away, and asking what follows from them (decisions D1, D2). */

import { LIMITS } from '#contract/limits.ts'
import type { DataOf } from '#contract/operation.ts'
import {
  type AccessRole,
  type addPermissions,
  type GrantedResource,
  type getPermissions,
  organizationFault,
  type PermissionEntry,
  type PermissionsByUser,
  type ResourceName,
  type removePermissions,
} from '#contract/permissions.ts'
import type { Db, Session } from '#platform/db/db.ts'
import { invalidArgument, StatusError } from '#platform/status-error.ts'
import type { Caller, UserCaller } from '#tenancy/caller.ts'
import { organizationKey, owningOrganization } from '#tenancy/keys.ts'
import { coalescedReads, lockOrganizations, organizationWrites } from '#tenancy/organization-writes.ts'
import {
  ADD_PERMISSIONS,
  DECIDE,
  type DecisionRow,
  type GrantName,
  type GrantOutcome,
  type GrantRow,
  type QuestionRow,
  REMOVE_PERMISSIONS,
} from './statements.ts'

/** A grant of a call that is repeated at every sign-in (`generate_token`, `users/add`); see decisions D1. */
export interface SignInGrant {
  userId: string
  resource: ResourceName
  accessRole: AccessRole | undefined
  expiresAt: number | undefined
  createOrganization: boolean
  createResource: boolean
  /** How the caller wrote the resource, for the message of a refusal. */
  field: string
}

export type Permissions = ReturnType<typeof createPermissions>

export function createPermissions(db: Db) {
  const adding = organizationWrites(db, ADD_PERMISSIONS, { idempotent: true })
  const removing = organizationWrites(db, REMOVE_PERMISSIONS, { idempotent: true })
  const deciding = coalescedReads(db, DECIDE)
  return {
    async add(caller: Caller, { user, permissions }: DataOf<typeof addPermissions>): Promise<void> {
      const resources = uniqueResources(permissions.resources)
      const rows = resources.map(({ resource }) => ({
        ...grantName(caller, user.userId, resource, !caller.requireKnownResources),
        role: resource.accessRole ?? 'editor',
        expiresAt: fromUnixSeconds(resource.expiresAt),
        keep: false,
        knownOnly: caller.requireKnownResources,
        createResource: false,
      }))
      refuse(await adding.run(rows), resources)
    },

    async remove(caller: Caller, data: DataOf<typeof removePermissions>): Promise<void> {
      const userId = data.userId ?? data.user?.userId
      if (userId === undefined) throw invalidArgument([{ field: 'userId', message: 'userId is required' }])
      if (data.user !== undefined && data.user.userId !== userId)
        throw invalidArgument([
          { field: 'user.userId', message: 'user.userId must be equal to userId when both are given' },
        ])
      const resources = uniqueResources(data.permissions.resources)
      await removing.run(resources.map(({ resource }) => grantName(caller, userId, resource, false)))
    },

    /** Writes grants in a transaction of the caller's, all or nothing. A pair of user and resource may appear once. */
    async grantAtSignIn(session: Session, caller: Caller, grants: readonly SignInGrant[]): Promise<void> {
      if (grants.length === 0) return
      const rows: (GrantRow & { req: number })[] = grants.map((grant) => {
        const isOrganization = grant.resource.type === 'organization'
        return {
          req: 0,
          ...grantName(caller, grant.userId, grant.resource, !caller.requireKnownResources || grant.createOrganization),
          role: grant.accessRole ?? null,
          expiresAt: fromUnixSeconds(grant.expiresAt),
          keep: true,
          knownOnly:
            caller.requireKnownResources && !(isOrganization ? grant.createOrganization : grant.createResource),
          createResource: grant.createResource,
        }
      })
      refuse(await session.runSet(ADD_PERMISSIONS, await lockOrganizations(session, rows)), grants)
    },

    async get(caller: Caller | UserCaller, data: DataOf<typeof getPermissions>): Promise<PermissionsByUser> {
      const questions = cells(caller, data)
      const decisions = await deciding.run(questions)
      const byUser = tabulate(data, questions, decisions)
      if (!data.skipResourceExistenceValidation && decisions.some(({ reason }) => reason === 'does_not_exist'))
        throw new StatusError(
          'NOT_FOUND',
          'resource_does_not_exist',
          'An organization, folder or document that was asked about does not exist; see details.',
          { details: byUser },
        )
      return byUser
    },

    coalescers: [adding, removing, deciding],
  }
}

function grantName(caller: Caller, userId: string, resource: ResourceName, createOrganization: boolean): GrantName {
  const organizationId = owningOrganization(resource)
  return {
    organizationKey: organizationKey(caller, organizationId),
    apiKeyId: caller.apiKeyId,
    organizationId,
    createOrganization,
    kind: resource.type,
    resourceId: resource.id,
    userId,
    actor: caller.actor,
  }
}

const fromUnixSeconds = (seconds: number | undefined): Date | null =>
  seconds === undefined ? null : new Date(seconds * 1000)

/** Checks each resource across its fields and keeps the last of several that name the same. */
export function uniqueResources<R extends ResourceName | GrantedResource>(
  resources: readonly R[],
): { resource: R; field: string }[] {
  const path = (index: number) => `permissions.resources[${index}]`
  const faults = resources.flatMap((resource, index) => organizationFault(resource, path(index)) ?? [])
  if (faults.length > 0) throw invalidArgument(faults.slice(0, LIMITS.faultsMax))
  const byName = new Map<string, { resource: R; field: string }>()
  for (const [index, resource] of resources.entries()) {
    const name = JSON.stringify([resource.type, owningOrganization(resource), resource.id])
    byName.set(name, { resource, field: path(index) })
  }
  return [...byName.values()]
}

/** Turns refused rows into the one error of the call; `asked` is in the order of the rows. */
function refuse(outcomes: readonly GrantOutcome[], asked: readonly { resource: ResourceName; field: string }[]): void {
  const refused = outcomes.flatMap(({ outcome, migratedTo }, index) => {
    const named = asked[index]
    if (outcome === 'ok' || named === undefined) return []
    const { resource, field } = named
    const message =
      outcome === 'document_was_migrated'
        ? `${field} names document "${resource.id}", which was migrated to "${migratedTo}"; grant on that id`
        : `${field}: the ${resource.type} "${resource.id}" does not exist, and the API key has requireKnownResources`
    return [{ field, message, reason: outcome, ...(migratedTo === null ? {} : { migratedTo }) }]
  })
  const [first] = refused
  if (first !== undefined) throw invalidArgument(refused, first.reason)
}

/** A user token asks about its own user, whether it says so or not. */
function usersOf(caller: Caller | UserCaller, userIds: readonly string[] | undefined): string[] {
  if (!('userId' in caller)) {
    if (userIds === undefined) throw invalidArgument([{ field: 'userIds', message: 'userIds is required' }])
    return [...new Set(userIds)]
  }
  if (userIds?.some((userId) => userId !== caller.userId))
    throw new StatusError('PERMISSION_DENIED', 'other_user', 'A user token may ask about its own user only.')
  return [caller.userId]
}

function cells(
  caller: Caller | UserCaller,
  { organizationId, userIds, folderIds = [], documentIds = [] }: DataOf<typeof getPermissions>,
): QuestionRow[] {
  const resources = [
    { kind: 'organization' as const, resourceId: organizationId },
    ...[...new Set(folderIds)].map((resourceId) => ({ kind: 'folder' as const, resourceId })),
    ...[...new Set(documentIds)].map((resourceId) => ({ kind: 'document' as const, resourceId })),
  ]
  const users = usersOf(caller, userIds)
  if (users.length * resources.length > LIMITS.permissionCellsMax) {
    const message = `userIds × (1 + folderIds + documentIds) must not be more than ${LIMITS.permissionCellsMax}`
    throw invalidArgument([{ field: 'userIds', message }])
  }
  const key = organizationKey(caller, organizationId)
  return users.flatMap((userId) =>
    resources.map((resource) => ({
      organizationKey: key,
      ...resource,
      userId,
      defaultAccessType: caller.defaultAccessType,
    })),
  )
}

function tabulate(
  data: DataOf<typeof getPermissions>,
  questions: readonly QuestionRow[],
  decisions: readonly DecisionRow[],
): PermissionsByUser {
  type Entries = Map<string, PermissionEntry>
  const users = new Map<string, Record<QuestionRow['kind'], Entries>>()
  questions.forEach(({ userId, kind, resourceId }, index) => {
    const user = users.get(userId) ?? { organization: new Map(), folder: new Map(), document: new Map() }
    users.set(userId, user)
    user[kind].set(resourceId, entryOf(kind, decisions[index] as DecisionRow))
  })
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
  no_grant: 'The user has no permission.',
  grant_expired: "The user's permission has expired.",
  does_not_exist: 'It does not exist.',
} as const

function entryOf(kind: QuestionRow['kind'], decision: DecisionRow): PermissionEntry {
  const { reason, accessRole, accessType, viaType, viaId, inherited, expiresAt, migratedTo } = decision
  const shared = accessType === null || reason === 'does_not_exist' ? {} : { accessType }
  if (reason === 'grant' || reason === 'access_type' || reason === 'membership')
    return {
      accessRole: accessRole ?? 'editor',
      ...shared,
      reason,
      ...(viaType === null || viaId === null
        ? {}
        : { via: { type: viaType, id: viaId, inherited: inherited === true } }),
      ...(expiresAt === null ? {} : { expiresAt: Math.floor(expiresAt.getTime() / 1000) }),
    }
  const thing = `${kind[0]?.toUpperCase()}${kind.slice(1)}`
  return {
    ...shared,
    reason,
    error: reason === 'does_not_exist' ? `${thing} does not exist.` : DENIALS[reason],
    errorCode: reason === 'does_not_exist' ? 'does_not_exist' : 'permission_denied',
    ...(migratedTo === null ? {} : { migratedTo }),
  }
}
