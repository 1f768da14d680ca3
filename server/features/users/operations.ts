/** Adding users to an organization, folder or document, and updating them (decisions C5, C6). */
import { type BatchResult, failed, type ItemResult } from '#contract/envelope.ts'
import type { DataOf } from '#contract/operation.ts'
import type { ResourceName } from '#contract/permissions.ts'
import type { addUsers, updateUsers } from '#contract/users.ts'
import type { Db, Session } from '#platform/db/db.ts'
import { invalidArgument } from '#platform/status-error.ts'
import type { Caller } from '#tenancy/caller.ts'
import { recordStreamEvents } from '#tenancy/events.ts'
import { organizationKey, userServiceId } from '#tenancy/keys.ts'
import { lockOrganization, type OrganizationRow } from '#tenancy/organization-writes.ts'
import { organizationDoesNotExist } from '#tenancy/refusals.ts'
import { ADD_PROFILES, LOCK_PROFILES, RECORD_USER_EVENTS, SET_ROLES, type StoredProfile } from './statements.ts'

export interface UsersDeps {
  db: Db
  /** Of the permissions slice: writes grants in a transaction of the caller's. */
  grantAtSignIn(
    session: Session,
    caller: Caller,
    grants: readonly {
      userId: string
      resource: ResourceName
      accessRole: 'viewer' | 'editor' | undefined
      expiresAt: undefined
      createOrganization: boolean
      createResource: boolean
      field: string
    }[],
  ): Promise<void>
}

export type Users = ReturnType<typeof createUsers>

export function createUsers({ db, grantAtSignIn }: UsersDeps) {
  return {
    /** Merges one profile in a transaction of the caller's, with its event in the stream of the API key. */
    async storeProfile(session: Session, caller: Caller, userId: string, profile: object): Promise<void> {
      const [stored] = await storeProfiles(session, caller, [{ userId, accessRole: undefined, profile }])
      if (stored === undefined || stored.outcome === 'unchanged') return
      const { before, after } = stored
      await recordStreamEvents(session, [
        {
          type: `user.${stored.outcome}`,
          workspaceId: caller.workspaceId,
          apiKeyId: caller.apiKeyId,
          userId,
          actor: caller.actor,
          after,
          ...(before === null ? {} : { before }),
        },
      ])
    },

    async add(caller: Caller, data: DataOf<typeof addUsers>): Promise<BatchResult> {
      const { organizationId, createOrganization = false, createDocument = false, createFolder = false } = data
      const { resource, field } = targetOf(data)
      const users = uniqueUsers(data.users, organizationId)
      await db.transaction(async (session) => {
        const stored = await storeProfiles(session, caller, users)
        await grantAtSignIn(
          session,
          caller,
          users.map(({ userId, accessRole }) => ({
            userId,
            resource,
            accessRole,
            expiresAt: undefined,
            createOrganization,
            createResource: resource.type === 'document' ? createDocument : resource.type === 'folder' && createFolder,
            field,
          })),
        )
        await recordEvents(session, caller, organizationId, stored)
      })
      return Object.fromEntries(
        users.map(({ userId }): [string, ItemResult] => [
          userId,
          { success: true, id: userServiceId(caller, userId), message: 'User added successfully.' },
        ]),
      )
    },

    async update(caller: Caller, data: DataOf<typeof updateUsers>): Promise<BatchResult> {
      const { resource } = targetOf(data)
      const users = uniqueUsers(data.users, data.organizationId)
      return db.transaction(async (session) => {
        const known = new Set(
          (
            await session.runSet(
              LOCK_PROFILES,
              users.map(({ userId }) => ({ apiKeyId: caller.apiKeyId, userId })),
            )
          ).map((row) => row.userId),
        )
        const row = organizationRow(caller, data.organizationId)
        if (!(await lockOrganization(session, row.organizationKey))) throw organizationDoesNotExist()
        const roles = users.flatMap(({ userId, accessRole }) =>
          accessRole === undefined || !known.has(userId)
            ? []
            : [{ ...row, kind: resource.type, resourceId: resource.id, userId, role: accessRole, actor: caller.actor }],
        )
        const granted = new Set(
          roles.length === 0 ? [] : (await session.runSet(SET_ROLES, roles)).map(({ userId }) => userId),
        )
        const changing = users.filter(
          ({ userId, accessRole }) => known.has(userId) && (accessRole === undefined || granted.has(userId)),
        )
        await recordEvents(session, caller, data.organizationId, await storeProfiles(session, caller, changing))
        const changed = new Set(changing.map(({ userId }) => userId))
        return Object.fromEntries(
          users.map(({ userId }): [string, ItemResult] => {
            if (changed.has(userId))
              return [
                userId,
                { success: true, id: userServiceId(caller, userId), message: 'User updated successfully.' },
              ]
            const why = known.has(userId)
              ? `The user has no grant on the ${resource.type}; add one with users/add.`
              : 'The user does not exist.'
            return [userId, failed(userId, 'not-found', why)]
          }),
        )
      })
    },
  }
}

interface UserItem {
  userId: string
  accessRole: 'viewer' | 'editor' | undefined
  profile: object
}

/** The last of each user id, with the profile apart from what is not part of it. */
function uniqueUsers(
  users: DataOf<typeof addUsers>['users'] | DataOf<typeof updateUsers>['users'],
  organization: string,
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

/** What the call is about: the document or the folder named, otherwise the organization. */
function targetOf({
  organizationId,
  documentId,
  folderId,
}: {
  organizationId: string
  documentId?: string
  folderId?: string
}): { resource: ResourceName; field: string } {
  if (documentId !== undefined && folderId !== undefined)
    throw invalidArgument([{ field: 'folderId', message: 'folderId must not be given together with documentId' }])
  if (folderId === 'root')
    throw invalidArgument([
      { field: 'folderId', message: 'folderId must not be "root": leave it out for the organization' },
    ])
  if (documentId !== undefined)
    return { resource: { type: 'document', id: documentId, organizationId }, field: 'documentId' }
  if (folderId !== undefined) return { resource: { type: 'folder', id: folderId, organizationId }, field: 'folderId' }
  return { resource: { type: 'organization', id: organizationId }, field: 'organizationId' }
}

const organizationRow = (caller: Caller, organizationId: string): OrganizationRow => ({
  organizationKey: organizationKey(caller, organizationId),
  apiKeyId: caller.apiKeyId,
  organizationId,
  createOrganization: false,
})

const storeProfiles = async (
  session: Session,
  { apiKeyId }: Caller,
  users: readonly UserItem[],
): Promise<StoredProfile[]> =>
  users.length === 0
    ? []
    : session.runSet(
        ADD_PROFILES,
        users.map(({ userId, profile }) => ({ apiKeyId, userId, profile })),
      )

async function recordEvents(
  session: Session,
  caller: Caller,
  organizationId: string,
  stored: readonly StoredProfile[],
): Promise<void> {
  const changed = stored.filter(({ outcome }) => outcome !== 'unchanged')
  if (changed.length === 0) return
  const row = organizationRow(caller, organizationId)
  await session.runSet(
    RECORD_USER_EVENTS,
    changed.map(({ userId, outcome, before, after }) => ({
      ...row,
      type: outcome === 'added' ? ('user.added' as const) : ('user.updated' as const),
      userId,
      actor: caller.actor,
      before,
      after,
    })),
  )
}
