/** Lists and stores profiles: one for each user of an API key, independent of grants. */
import type { BatchResult, ItemResult } from '#contract/core/envelope.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { DataOf, ResultOf } from '#contract/core/operation.ts'
import type { listProfiles, setProfiles } from '#contract/users/profiles.ts'
import type { Db, Session } from '#platform/db/db.ts'
import type { Paged, PageTokens } from '#platform/secrets/page-token.ts'
import { invalidArgument } from '#platform/status-error.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { userServiceId } from '#tenancy/callers/keys.ts'
import { recordStreamEvents, type StreamEvent } from '#tenancy/events/record.ts'
import { scopeOf } from '#tenancy/name-order.ts'
import { changeOrganizations } from '#tenancy/writes/organization.ts'
import {
  ADD_MISSING_USERS,
  LIST_NAMED_PROFILES,
  LIST_PROFILES,
  LIST_PROFILES_BY_NAME,
  LOCK_PROFILES,
  MERGE_PROFILES,
} from './profile-statements.ts'

export function createProfiles({ db, pageTokens }: { db: Db; pageTokens: PageTokens }) {
  return {
    async list(
      { apiKeyId }: Caller,
      { userIds, orderBy = 'id', pageSize = LIMITS.pageSizeMax, pageToken }: DataOf<typeof listProfiles>,
    ): Promise<Paged<ResultOf<typeof listProfiles>>> {
      const scope = ['profiles.list', apiKeyId, ...scopeOf(orderBy), ...(userIds === undefined ? [] : [userIds])]
      const values = [apiKeyId, pageTokens.decode(scope, pageToken), pageSize + 1]
      if (orderBy !== 'id') {
        if (userIds !== undefined)
          throw invalidArgument([{ field: 'orderBy', message: 'named users are listed in the order of their ids' }])
        const rows = await db.run(LIST_PROFILES_BY_NAME[orderBy], values)
        const { page, next } = pageTokens.cut(scope, rows, pageSize, ({ position }) => position)
        return { data: { profiles: page.map(recordOf) }, ...next }
      }
      const rows =
        userIds === undefined
          ? await db.run(LIST_PROFILES, values)
          : await db.run(LIST_NAMED_PROFILES, [...values, userIds])
      const { page, next } = pageTokens.cut(scope, rows, pageSize, ({ userId }) => userId)
      return { data: { profiles: page.map(recordOf) }, ...next }
    },

    async set(caller: Caller, data: DataOf<typeof setProfiles>): Promise<BatchResult> {
      const byId = new Map(data.users.map(({ userId, ...profile }) => [userId, { userId, profile }]))
      await changeOrganizations(db, caller, [], async (session) => {
        const changed = await storeProfiles(session, caller, [...byId.values()])
        if (changed.length > 0) await recordStreamEvents(session, changed.map(eventOf(caller)))
      })
      return Object.fromEntries(
        [...byId.keys()].map((userId): [string, ItemResult] => [
          userId,
          { success: true, id: userServiceId(caller, userId), message: 'Profile stored successfully.' },
        ]),
      )
    },
  }
}

const recordOf = ({ userId, profile }: { userId: string; profile: Record<string, unknown> }) => ({ ...profile, userId })

/** Merges the profiles of users who have one, and no others. Returns the ids of these users. */
export function updateProfiles(db: Db, caller: Caller, users: readonly UserProfile[]): Promise<ReadonlySet<string>> {
  return changeOrganizations(db, caller, [], async (session) => {
    const rows = users.map(({ userId }) => ({ apiKeyId: caller.apiKeyId, userId }))
    const known = new Set((await session.runSet(LOCK_PROFILES, rows)).map(({ userId }) => userId))
    const changed = await storeProfiles(
      session,
      caller,
      users.filter(({ userId }) => known.has(userId)),
    )
    if (changed.length > 0) await recordStreamEvents(session, changed.map(eventOf(caller)))
    return known
  })
}

export interface UserProfile {
  userId: string
  /** The given fields; null clears a field, absent fields are kept. */
  profile: object
}

export interface ChangedProfile {
  userId: string
  type: 'user.added' | 'user.updated'
  before: object | null
  after: object
}

/** Returns the event of a change outside organizations, for the stream of the API key. */
const eventOf =
  ({ workspaceId, apiKeyId, actor }: Caller) =>
  ({ type, userId, before, after }: ChangedProfile): StreamEvent => ({
    type,
    workspaceId,
    apiKeyId,
    userId,
    actor,
    after,
    ...(before === null ? {} : { before }),
  })

/** Merges one profile in the given transaction. Returns its event for the stream of the API key if it changed. */
export async function storeProfile(
  session: Session,
  caller: Caller,
  userId: string,
  profile: object,
): Promise<StreamEvent[]> {
  return (await storeProfiles(session, caller, [{ userId, profile }])).map(eventOf(caller))
}

/** Adds and merges profiles; returns those that changed. Throws INVALID_ARGUMENT if a merged profile would exceed the limits. */
export async function storeProfiles(
  session: Session,
  { apiKeyId }: Caller,
  users: readonly UserProfile[],
): Promise<ChangedProfile[]> {
  if (users.length === 0) return []
  const rows = users.map(({ userId, profile }) => ({ apiKeyId, userId, profile }))
  const added = new Set((await session.runSet(ADD_MISSING_USERS, rows)).map(({ userId }) => userId))
  const stored = await session.runSet(MERGE_PROFILES, rows)
  const tooLarge = stored.filter(({ outcome }) => outcome === 'too_large')
  if (tooLarge.length > 0)
    throw invalidArgument(
      tooLarge.map(({ userId }) => ({
        field: 'users',
        message: `the profile of user "${userId}" would have more than ${LIMITS.metadataBytesMax} bytes or ${LIMITS.metadataKeysMax} fields of metadata`,
      })),
    )
  return stored.flatMap(({ userId, outcome, before, after }): ChangedProfile[] => {
    if (added.has(userId)) return [{ userId, type: 'user.added', before: null, after }]
    return outcome === 'updated' ? [{ userId, type: 'user.updated', before, after }] : []
  })
}
