/** Lists the resources a user has access to, and the users with access to a resource (rules/access.md#lists-of-access, ADR 0014). */
import type {
  ListedResource,
  ListedUser,
  listPermittedResources,
  listPermittedUsers,
} from '#contract/access/access-lists.ts'
import { organizationFault, type ResourceType, ROOT } from '#contract/access/permissions.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { DataOf, ResultOf } from '#contract/core/operation.ts'
import type { Db } from '#platform/db/db.ts'
import type { Paged, PageTokens } from '#platform/secrets/page-token.ts'
import { invalidArgument } from '#platform/status-error.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { organizationKey, owningOrganization } from '#tenancy/callers/keys.ts'
import { isUserDisabled } from '#tenancy/disabled-users.ts'
import { requireResource } from '#tenancy/existence.ts'
import { type Found, publicAnyhow, publicWarnings } from '#tenancy/public-access.ts'
import { coalescedReads } from '#tenancy/writes/coalesced.ts'
import type { Decisions } from '../checks/decisions.ts'
import { decisionOf } from '../decision/forms.ts'
import { type Batch, fillPage } from './fill-page.ts'
import { type Cursor, createListedResources, cursorOf, requireScope } from './listed-resources.ts'
import { DECISIONS_PER_ROW } from './resource-statements.ts'
import { LIST_PERMITTED_USERS, type ListedUsersRow } from './user-statements.ts'

/** Lists are ordered by kind, then by key. */
const KINDS = ['organization', 'folder', 'document'] as const satisfies ResourceType[]

export function createAccessLists({ db, pageTokens }: { db: Db; pageTokens: PageTokens }, decisions: Decisions) {
  const listedResources = createListedResources(db, decisions)
  const listedUsers = coalescedReads(db, LIST_PERMITTED_USERS, {
    rowsOf: (row) => Math.ceil(row.decisions / DECISIONS_PER_ROW),
  })
  return {
    async resources(
      caller: Caller,
      data: DataOf<typeof listPermittedResources>,
    ): Promise<Paged<ResultOf<typeof listPermittedResources>>> {
      const { organizationId, userId, types, folderId, atLeast = null, pageSize = LIMITS.pageSizeMax } = data
      const query = [caller.apiKeyId, organizationId, userId, types?.toSorted() ?? null, folderId ?? null, atLeast]
      const scope = ['permitted-resources.list', ...query]
      const start = cursorFrom(pageTokens.decode(scope, data.pageToken))
      const kinds = KINDS.filter(
        (kind) => (types?.includes(kind) ?? true) && (kind !== 'organization' || folderId === undefined),
      )
      const question = {
        organizationKey: organizationKey(caller, organizationId),
        organizationId,
        userId,
        folderId: folderId === ROOT ? null : (folderId ?? null),
        defaultAccessType: caller.defaultAccessType,
        defaultAccessRole: caller.defaultAccessRole,
        hasDisabledUsers: caller.hasDisabledUsers,
        atLeast,
      }
      if (await isUserDisabled(db, caller, userId)) {
        await requireScope(db, question)
        return { data: { resources: [], userDisabled: true } }
      }
      const find = listedResources.find(question, kinds, start, caller.apiKeyId)
      const { rows, next } = await fillPage(pageSize, find, cursorOf)
      return {
        data: { resources: rows.map(({ resource }) => resource) },
        ...(next && { nextPageToken: pageTokens.encode(scope, `${next.kind} ${next.key}`) }),
        ...publicWarnings(
          caller,
          rows.map(({ resource }) => foundIn(resource, organizationId)),
        ),
      }
    },

    async users(
      caller: Caller,
      data: DataOf<typeof listPermittedUsers>,
    ): Promise<Paged<ResultOf<typeof listPermittedUsers>>> {
      const { resource, atLeast = null, pageSize = LIMITS.pageSizeMax } = data
      const fault = organizationFault(resource, 'resource')
      if (fault !== undefined) throw invalidArgument([fault])
      const organizationId = owningOrganization(resource)
      const key = organizationKey(caller, organizationId)
      const scope = ['permitted-users.list', caller.apiKeyId, organizationId, resource.type, resource.id, atLeast]
      let afterUserId: string | null = pageTokens.decode(scope, data.pageToken) ?? ''
      let everyone = false
      const { defaultAccessType, defaultAccessRole } = caller
      const question = {
        organizationKey: key,
        kind: resource.type,
        resourceId: resource.id,
        defaultAccessType,
        defaultAccessRole,
        atLeast,
      }
      const find = async (decisions: number): Promise<Batch<ListedUser, string>> => {
        const row = { ...question, afterUserId: afterUserId ?? '', decisions }
        const found = await listedUsers.run([row], caller.apiKeyId)
        const outcome = found.find(({ userIds }) => userIds === null)
        if (!outcome?.found) {
          await requireResource(db, key, resource)
          return find(decisions) // added a moment ago
        }
        everyone = outcome.everyone
        afterUserId = outcome.examinedTo
        return { rows: usersOf(found), next: afterUserId, decided: afterUserId === null ? 0 : decisions }
      }
      const { rows: users, next } = await fillPage(pageSize, find, ({ userId }) => userId)
      return {
        data: { users, everyone, ...(everyone ? { everyoneRole: defaultAccessRole } : {}) },
        ...(next !== null && { nextPageToken: pageTokens.encode(scope, next) }),
        ...(everyone ? publicAnyhow(caller, resource) : {}),
      }
    },

    coalescers: [listedUsers, ...listedResources.coalescers],
  }
}

/** Returns what the decision on a listed resource says about the access type. */
function foundIn({ type, id, reason, accessType, via }: ListedResource, organizationId: string): Found {
  const isDefault = reason === 'access_type' && via?.type === 'keyDefault'
  const isOfFolder = reason === 'access_type' && via?.type === 'folder' && via.inherited
  return {
    resource: { type, id, organizationId },
    access: isDefault ? null : isOfFolder ? `${accessType} ${via.id}` : (accessType ?? null),
  }
}

/** Returns the users of all decisions, in the order of their ids. */
function usersOf(decisions: readonly ListedUsersRow[]): ListedUser[] {
  const inPlace: ListedUser[] = []
  for (const row of decisions) {
    const listed: ListedUser = { userId: '', ...decisionOf(row) }
    for (const [index, userId] of (row.userIds ?? []).entries())
      inPlace[(row.places?.[index] ?? 0) - 1] = { ...listed, userId }
  }
  return inPlace.filter((user) => user !== undefined)
}

function cursorFrom(last: string | null): Cursor | null {
  const [kind, key] = last?.split(' ') ?? []
  return kind === undefined || key === undefined ? null : { kind: kind as ResourceType, key }
}
