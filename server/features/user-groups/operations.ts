/** Manages the user groups of an organization and their users (rules/resources.md#user-groups). */
import { type BatchResult, failed } from '#contract/core/envelope.ts'
import type { OrganizationKey } from '#contract/core/ids.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { DataOf, ResultOf } from '#contract/core/operation.ts'
import type {
  addUserGroups,
  addUserGroupUsers,
  deleteUserGroups,
  deleteUserGroupUsers,
  getUserGroups,
  UserGroupRecord,
  updateUserGroups,
} from '#contract/users/user-groups.ts'
import type { HandlerResult } from '#http/responses/respond.ts'
import type { Db, Session } from '#platform/db/db.ts'
import type { Paged, PageTokens } from '#platform/secrets/page-token.ts'
import { invalidArgument } from '#platform/status-error.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import { requireOrganization, requireUserGroup } from '#tenancy/existence.ts'
import { scopeOf } from '#tenancy/name-order.ts'
import { publicWarnings } from '#tenancy/public-access.ts'
import { organizationDoesNotExist, userGroupDoesNotExist } from '#tenancy/refusals.ts'
import { changeOrganization, writeUnderLock } from '#tenancy/writes/organization.ts'
import { doesNotExist, results, type UserResults, userResults } from './results.ts'
import {
  ADD_USER_GROUPS,
  DELETE_USER_GROUPS,
  FIND_USER_GROUPS,
  LIST_USER_GROUPS,
  LIST_USER_GROUPS_BY_NAME,
  UPDATE_USER_GROUPS,
  type UserGroupRow,
} from './statements.ts'
import {
  ADD_USER_GROUP_USERS,
  DELETE_USER_GROUP_USERS,
  EMPTY_USER_GROUP,
  FIND_GROUP_GRANTS,
} from './user-statements.ts'

/** The number of grants of a group about which the call that adds users says whether they are on something public. */
const GRANTS_EXAMINED_MAX = 100

export interface UserGroupsDeps {
  db: Db
  pageTokens: PageTokens
}

type Page = Paged<ResultOf<typeof getUserGroups>>

export function createUserGroups({ db, pageTokens }: UserGroupsDeps) {
  return {
    async add(caller: Caller, data: DataOf<typeof addUserGroups>): Promise<BatchResult> {
      const { organizationId, createOrganization = false } = data
      const key = organizationKey(caller, organizationId)
      const byId = new Map(data.organizationUserGroups.map((group) => [group.groupId, group]))
      const rows = [...byId.values()].map(({ groupId, groupName = null }) => ({
        organizationKey: key,
        apiKeyId: caller.apiKeyId,
        organizationId,
        createOrganization,
        groupId,
        name: groupName,
        actor: caller.actor,
      }))
      const outcomes = await writeUnderLock(db, ADD_USER_GROUPS, rows)
      if (outcomes.some(({ outcome }) => outcome === 'organization_does_not_exist')) throw organizationDoesNotExist()
      const added = outcomes.flatMap(({ groupId, outcome }) => (outcome === 'ok' ? [groupId] : []))
      return results(key, [...byId.keys()], added, 'added', (groupId) =>
        failed(groupId, 'already-exists', 'The user group already exists.'),
      )
    },

    async get(caller: Caller, data: DataOf<typeof getUserGroups>): Promise<Page> {
      const {
        organizationId,
        organizationUserGroupIds,
        orderBy = 'id',
        pageSize = LIMITS.pageSizeMax,
        pageToken,
      } = data
      const key = organizationKey(caller, organizationId)
      await requireOrganization(db, key)
      if (organizationUserGroupIds !== undefined)
        return { data: await find(key, [...new Set(organizationUserGroupIds)]) }
      const scope = ['user-groups.get', caller.apiKeyId, organizationId, ...scopeOf(orderBy)]
      if (orderBy !== 'id') {
        const values = [key, pageTokens.decode(scope, pageToken), pageSize + 1]
        const rows = await db.run(LIST_USER_GROUPS_BY_NAME[orderBy], values)
        const { page, next } = pageTokens.cut(scope, rows, pageSize, ({ position }) => position)
        return { data: page.map(recordOf), ...next }
      }
      const rows = await db.run(LIST_USER_GROUPS, [key, pageTokens.decode(scope, pageToken) ?? '', pageSize + 1])
      const { page, next } = pageTokens.cut(scope, rows, pageSize, ({ groupId }) => groupId)
      return { data: page.map(recordOf), ...next }
    },

    async update(caller: Caller, data: DataOf<typeof updateUserGroups>): Promise<BatchResult> {
      const byId = new Map(data.organizationUserGroups.map(({ groupId, groupName }) => [groupId, groupName]))
      return change(caller, data.organizationId, async (session, key) => {
        const rows = [...byId].map(([groupId, name]) => ({ organizationKey: key, groupId, name, actor: caller.actor }))
        const updated = await session.runSet(UPDATE_USER_GROUPS, rows)
        return results(key, [...byId.keys()], idsOf(updated), 'updated')
      })
    },

    async delete(caller: Caller, data: DataOf<typeof deleteUserGroups>): Promise<BatchResult> {
      const groupIds = [...new Set(data.organizationUserGroupIds)]
      return change(caller, data.organizationId, async (session, key) => {
        const rows = groupIds.map((groupId) => ({ organizationKey: key, groupId, actor: caller.actor }))
        return results(key, groupIds, idsOf(await session.runSet(DELETE_USER_GROUPS, rows)), 'deleted')
      })
    },

    async addUsers(caller: Caller, data: DataOf<typeof addUserGroupUsers>): Promise<HandlerResult<UserResults>> {
      const { organizationId, organizationUserGroupId: groupId, userIds } = data
      return change(caller, organizationId, async (session, key) => {
        const grants = await session.run(FIND_GROUP_GRANTS, [key, groupId, GRANTS_EXAMINED_MAX])
        if (grants.length === 0) throw userGroupDoesNotExist(['organizationUserGroupId'])
        const added = await session.runSet(ADD_USER_GROUP_USERS, userRows(caller, key, groupId, userIds))
        const results = userResults(groupId, userIds, added, {
          success: 'User added to the user group successfully.',
          failure: 'The user is not a member of the organization; add the user with users/add.',
        })
        const found = grants.flatMap(({ type, id, ...access }) =>
          type === null || id === null || added.length === 0
            ? []
            : [{ ...access, resource: { type, id, organizationId } }],
        )
        return { data: results, ...publicWarnings(caller, found) }
      })
    },

    async deleteUsers(caller: Caller, data: DataOf<typeof deleteUserGroupUsers>): Promise<UserResults> {
      const { organizationId, organizationUserGroupId: groupId, userIds = [], deleteAll = false } = data
      if (deleteAll === (data.userIds !== undefined)) {
        const message = deleteAll
          ? 'userIds must not be given together with deleteAll: true'
          : 'userIds is required unless deleteAll is true'
        throw invalidArgument([{ field: 'userIds', message }])
      }
      return change(caller, organizationId, async (session, key) => {
        await requireUserGroup(session, key, groupId, 'organizationUserGroupId')
        if (deleteAll) {
          await session.runSet(EMPTY_USER_GROUP, [{ organizationKey: key, groupId, actor: caller.actor }])
          return {}
        }
        const removed = await session.runSet(DELETE_USER_GROUP_USERS, userRows(caller, key, groupId, userIds))
        return userResults(groupId, userIds, removed, {
          success: 'User removed from the user group successfully.',
          failure: 'The user is not in the user group.',
        })
      })
    },
  }

  /** Runs `work` under the lock of an existing organization. */
  function change<T>(
    caller: Caller,
    organizationId: string,
    work: (session: Session, key: OrganizationKey) => Promise<T>,
  ): Promise<T> {
    const key = organizationKey(caller, organizationId)
    return changeOrganization(db, caller, key, (session) => work(session, key))
  }

  async function find(key: OrganizationKey, ids: string[]): Promise<Page['data']> {
    const rows = await db.runSet(
      FIND_USER_GROUPS,
      ids.map((groupId) => ({ organizationKey: key, groupId })),
    )
    const found = new Map(rows.map((row) => [row.groupId, recordOf(row)]))
    return ids.map((id) => found.get(id) ?? doesNotExist(id))
  }
}

const recordOf = ({ groupId, name }: UserGroupRow): UserGroupRecord => ({
  groupId,
  ...(name === null ? {} : { groupName: name }),
})

const idsOf = (rows: readonly { groupId: string }[]): string[] => rows.map(({ groupId }) => groupId)

const userRows = ({ actor }: Caller, key: OrganizationKey, groupId: string, userIds: readonly string[]) =>
  [...new Set(userIds)].map((userId) => ({ organizationKey: key, groupId, userId, actor }))
