/** Adds users to an organization, folder or document, updates and removes them (rules/contract.md#merging, rules/resources.md#members). */
import type { AccessRole } from '#contract/access/permissions.ts'
import { type BatchResult, failed, type ItemResult } from '#contract/core/envelope.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { DataOf } from '#contract/core/operation.ts'
import type { addUsers, deleteUsers, updateUsers } from '#contract/users/users.ts'
import { grantAtSignIn, setRoles } from '#features/permissions/shared.ts'
import type { Db, Session } from '#platform/db/db.ts'
import type { PageTokens } from '#platform/secrets/page-token.ts'
import { invalidArgument } from '#platform/status-error.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { organizationKey, userServiceId } from '#tenancy/callers/keys.ts'
import { publicWarnings } from '#tenancy/public-access.ts'
import { organizationDoesNotExist } from '#tenancy/refusals.ts'
import { holdRoles } from '#tenancy/writes/commenter.ts'
import { changeOrganizations, lockOrganization, type OrganizationRow } from '#tenancy/writes/organization.ts'
import { createUserLists } from './lists.ts'
import { addPlacedFolder, placedFolder } from './placed-folder.ts'
import { LOCK_PROFILES } from './profile-statements.ts'
import { type ChangedProfile, storeProfiles, type UserProfile, updateProfiles } from './profiles.ts'
import { DELETE_USER_GRANTS, DELETE_USERS, RECORD_USER_EVENTS } from './statements.ts'
import { targetOf } from './target.ts'

export interface UsersDeps {
  db: Db
  pageTokens: PageTokens
}

export function createUsers({ db, pageTokens }: UsersDeps) {
  return {
    ...createUserLists({ db, pageTokens }),

    async add(caller: Caller, data: DataOf<typeof addUsers>): Promise<Warned> {
      const { organizationId, createOrganization = false, createDocument = false, createFolder = false } = data
      const { resource, field } = targetOf(data)
      const placed = placedFolder(data)
      const users = uniqueUsers(data.users, organizationId)
      const found = await changeOrganizations(
        db,
        caller,
        [organizationKey(caller, organizationId)],
        async (session) => {
          await holdRoles(session, caller, users)
          const stored = await storeProfiles(session, caller, users)
          if (placed !== undefined) await addPlacedFolder(session, caller, placed)
          const granted = await grantAtSignIn(
            session,
            caller,
            users.map(({ userId, accessRole }) => ({
              userId,
              resource,
              accessRole,
              createOrganization,
              createResource:
                resource.type === 'document' ? createDocument : resource.type === 'folder' && createFolder,
              field,
            })),
          )
          await recordUserEvents(session, caller, organizationId, stored)
          return granted.slice(0, 1)
        },
      )
      const results = Object.fromEntries(
        users.map(({ userId }): [string, ItemResult] => [
          userId,
          { success: true, id: userServiceId(caller, userId), message: 'User added successfully.' },
        ]),
      )
      return { data: results, ...publicWarnings(caller, found) }
    },

    async update(caller: Caller, data: DataOf<typeof updateUsers>): Promise<Warned> {
      const { organizationId } = data
      const users = uniqueUsers(data.users, organizationId)
      if (data.options?.all) {
        refuseBesideAll(data)
        const known = await updateProfiles(db, caller, users)
        const results = users.map(({ userId }) => [
          userId,
          known.has(userId) ? updated(caller, userId) : unknownUser(userId),
        ])
        return { data: Object.fromEntries(results) }
      }
      if (organizationId === undefined)
        throw invalidArgument([{ field: 'organizationId', message: 'organizationId is required' }])
      const { resource } = targetOf({ ...data, organizationId })
      const row = organizationRow(caller, organizationId)
      return changeOrganizations(db, caller, [row.organizationKey], async (session) => {
        await holdRoles(session, caller, users)
        const known = new Set(
          (
            await session.runSet(
              LOCK_PROFILES,
              users.map(({ userId }) => ({ apiKeyId: caller.apiKeyId, userId })),
            )
          ).map((row) => row.userId),
        )
        if (!(await lockOrganization(session, row.organizationKey))) throw organizationDoesNotExist()
        const roles = users.flatMap(({ userId, accessRole }) =>
          accessRole === undefined || !known.has(userId) ? [] : [{ userId, accessRole }],
        )
        const { granted, found } = await setRoles(session, caller, resource, roles)
        const changing = users.filter(
          ({ userId, accessRole }) => known.has(userId) && (accessRole === undefined || granted.has(userId)),
        )
        await recordUserEvents(session, caller, organizationId, await storeProfiles(session, caller, changing))
        const changed = new Set(changing.map(({ userId }) => userId))
        const results = Object.fromEntries(
          users.map(({ userId }): [string, ItemResult] => {
            if (changed.has(userId)) return [userId, updated(caller, userId)]
            const why = `The user has no live grant on the ${resource.type}; add one with users/add.`
            return [userId, known.has(userId) ? failed(userId, 'not-found', why) : unknownUser(userId)]
          }),
        )
        return { data: results, ...publicWarnings(caller, found) }
      })
    },

    async delete(caller: Caller, data: DataOf<typeof deleteUsers>): Promise<BatchResult> {
      const { type: kind, id: resourceId } = targetOf(data).resource
      const key = organizationKey(caller, data.organizationId)
      const userIds = [...new Set(data.userIds)]
      const rows = userIds.map((userId) => ({ organizationKey: key, kind, resourceId, userId, actor: caller.actor }))
      const deleted = await changeOrganizations(db, caller, [key], async (session) => {
        if (!(await lockOrganization(session, key))) throw organizationDoesNotExist()
        return session.runSet(kind === 'organization' ? DELETE_USERS : DELETE_USER_GRANTS, rows)
      })
      const found = new Set(deleted.map(({ userId }) => userId))
      return Object.fromEntries(
        userIds.map((userId): [string, ItemResult] => [
          userId,
          found.has(userId)
            ? { success: true, id: userServiceId(caller, userId), message: 'User deleted successfully.' }
            : failed(
                userId,
                'not-found',
                kind === 'organization'
                  ? 'The user has no grant in the organization.'
                  : `The user has no grant on the ${kind}.`,
              ),
        ]),
      )
    },
  }
}

type Warned = { data: BatchResult } & ReturnType<typeof publicWarnings>

const updated = (caller: Caller, userId: string): ItemResult => ({
  success: true,
  id: userServiceId(caller, userId),
  message: 'User updated successfully.',
})

const unknownUser = (userId: string): ItemResult => failed(userId, 'not-found', 'The user does not exist.')

/** Refuses what names or changes access: with `options.all` only profiles are written. */
function refuseBesideAll({ documentId, folderId, users }: DataOf<typeof updateUsers>): void {
  const fields = [
    ...(documentId === undefined ? [] : ['documentId']),
    ...(folderId === undefined ? [] : ['folderId']),
    ...users.flatMap(({ accessRole }, index) => (accessRole === undefined ? [] : [`users[${index}].accessRole`])),
  ]
  if (fields.length > 0)
    throw invalidArgument(
      fields
        .slice(0, LIMITS.faultsMax)
        .map((field) => ({ field, message: `${field} must not be given together with options.all` })),
    )
}

interface UserItem extends UserProfile {
  accessRole: AccessRole | undefined
}

/** Returns the last item of each user id, with the profile fields separated from the others. */
function uniqueUsers(
  users: DataOf<typeof addUsers>['users'] | DataOf<typeof updateUsers>['users'],
  organization: string | undefined,
): UserItem[] {
  const byId = new Map<string, UserItem>()
  users.forEach(({ userId, accessRole, organizationId, ...profile }, index) => {
    if (organizationId !== undefined && organizationId !== organization) {
      const field = `users[${index}].organizationId`
      throw invalidArgument([{ field, message: `${field} must be equal to the organizationId of the call` }])
    }
    byId.set(userId, { userId, accessRole, profile })
  })
  return [...byId.values()]
}

const organizationRow = (caller: Caller, organizationId: string): OrganizationRow => ({
  organizationKey: organizationKey(caller, organizationId),
  apiKeyId: caller.apiKeyId,
  organizationId,
  createOrganization: false,
})

/** Records events of profiles in the stream of the organization, under its lock. */
export async function recordUserEvents(
  session: Session,
  caller: Caller,
  organizationId: string,
  changed: readonly ChangedProfile[],
): Promise<void> {
  if (changed.length === 0) return
  const row = organizationRow(caller, organizationId)
  await session.runSet(
    RECORD_USER_EVENTS,
    changed.map((profile) => ({ ...row, ...profile, actor: caller.actor })),
  )
}
