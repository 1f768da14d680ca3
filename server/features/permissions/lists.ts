/** Lists the resources a user has access to, and the users with access to a resource (rules/access.md#lists-of-access, ADR 0014). */
import type { ListedResource, ListedUser, listPermittedResources, listPermittedUsers } from '#contract/access-lists.ts'
import type { OrganizationKey } from '#contract/ids.ts'
import { LIMITS } from '#contract/limits.ts'
import type { DataOf, ResultOf } from '#contract/operation.ts'
import { organizationFault, type ResourceType, ROOT } from '#contract/permissions.ts'
import type { Db } from '#platform/db/db.ts'
import type { Paged, PageTokens } from '#platform/page-token.ts'
import { invalidArgument } from '#platform/status-error.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { organizationKey, owningOrganization } from '#tenancy/callers/keys.ts'
import { requireOrganization, requireResource } from '#tenancy/existence.ts'
import type { DecisionRow } from './decision-rows.ts'
import { DECIDE } from './decision-statements.ts'
import { decisionOf } from './decisions.ts'
import { type Batch, fillPage } from './fill-page.ts'
import { LIST_BY_FOLDER } from './list-by-folder-statements.ts'
import { LIST_BY_SCAN } from './list-by-scan-statements.ts'
import { LIST_PERMITTED_USERS } from './user-list-statements.ts'

/** Lists are ordered by kind, then by key. */
const KINDS = ['organization', 'folder', 'document'] as const satisfies ResourceType[]

/** The position after which a list continues. */
interface Cursor {
  kind: ResourceType
  key: string
}

/** Sorts before every key. */
const FIRST_KEY = '00000000-0000-0000-0000-000000000000'

/**
 * The strategies that fill a page, tried in order. If the user has access to few folders, their documents are listed. A
 * scan of all resources is quick for a user with access to most of them. If it does not fill the page, the documents of
 * many folders are listed.
 */
const STRATEGIES = [
  { statements: LIST_BY_FOLDER, limit: 100 },
  { statements: LIST_BY_SCAN, limit: 4_000 },
  { statements: LIST_BY_FOLDER, limit: 20_000 },
  { statements: LIST_BY_SCAN, limit: 20_000 },
] as const

interface FoundResource extends DecisionRow {
  cursor: Cursor
  resourceId: string
}

export type AccessLists = ReturnType<typeof createAccessLists>

export function createAccessLists({ db, pageTokens }: { db: Db; pageTokens: PageTokens }) {
  return {
    async resources(
      caller: Caller,
      data: DataOf<typeof listPermittedResources>,
    ): Promise<Paged<ResultOf<typeof listPermittedResources>>> {
      const { organizationId, userId, types, folderId, atLeast = null, pageSize = LIMITS.pageSizeMax } = data
      const key = organizationKey(caller, organizationId)
      const query = [caller.apiKeyId, organizationId, userId, types?.toSorted() ?? null, folderId ?? null, atLeast]
      const scope = ['permitted-resources.list', ...query]
      const start = cursorFrom(pageTokens.decode(scope, data.pageToken))
      const within = await scopeKey(db, key, folderId)
      const kinds = KINDS.filter(
        (kind) => (types?.includes(kind) ?? true) && (kind !== 'organization' || folderId === undefined),
      )
      const question = { key, organizationId, userId, defaultAccessType: caller.defaultAccessType, atLeast, within }
      const { rows, next } = await fillPage(pageSize, findResources(db, question, kinds, start), ({ cursor }) => cursor)
      return {
        data: { resources: rows.map((row) => listedResource(row, organizationId)) },
        ...(next && { nextPageToken: pageTokens.encode(scope, `${next.kind} ${next.key}`) }),
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
      let after: string | null = pageTokens.decode(scope, data.pageToken) ?? ''
      const resourceKey = await requireResource(db, key, resource)
      let everyone = false
      const find = async (decisions: number): Promise<Batch<DecisionRow & { userId: string }, string>> => {
        const values = [key, resourceKey, caller.defaultAccessType, atLeast, after, decisions]
        const found = await db.run(LIST_PERMITTED_USERS, values)
        everyone = found[0]?.everyone ?? false
        after = found[0]?.examinedTo ?? null
        return {
          rows: found.flatMap(({ userId, ...decision }) => (userId === null ? [] : [{ ...decision, userId }])),
          next: after,
          decided: after === null ? 0 : decisions,
        }
      }
      const { rows, next } = await fillPage(pageSize, find, ({ userId }) => userId)
      const users: ListedUser[] = rows.map((row) => ({ userId: row.userId, ...decisionOf(row) }))
      return { data: { users, everyone }, ...(next !== null && { nextPageToken: pageTokens.encode(scope, next) }) }
    },
  }
}

/** Returns the key of the folder or organization whose resources are listed. */
async function scopeKey(db: Db, key: OrganizationKey, folderId: string | undefined): Promise<string> {
  if (folderId !== undefined && folderId !== ROOT) return requireResource(db, key, { type: 'folder', id: folderId })
  await requireOrganization(db, key)
  return key
}

function cursorFrom(last: string | null): Cursor | null {
  const [kind, key] = last?.split(' ') ?? []
  return kind === undefined || key === undefined ? null : { kind: kind as ResourceType, key }
}

interface ResourceQuestion {
  key: OrganizationKey
  organizationId: string
  userId: string
  defaultAccessType: Caller['defaultAccessType']
  atLeast: DataOf<typeof listPermittedResources>['atLeast'] | null
  within: string
}

/** Returns a function that finds the next batch of resources with each call, one kind after the other. */
function findResources(db: Db, question: ResourceQuestion, kinds: readonly ResourceType[], start: Cursor | null) {
  const { key, organizationId, userId, defaultAccessType, atLeast = null, within } = question
  const firstOf = (kind: ResourceType | undefined): Cursor | null =>
    kind === undefined ? null : { kind, key: FIRST_KEY }
  const afterKind = (kind: ResourceType): Cursor | null => firstOf(kinds[kinds.indexOf(kind) + 1])
  let cursor = start ?? firstOf(kinds[0])
  let strategy = 0

  return async (decisions: number): Promise<Batch<FoundResource, Cursor>> => {
    if (cursor === null) return { rows: [], next: null, decided: 0 }
    const { kind } = cursor
    if (kind === 'organization') {
      const found = cursor.key === FIRST_KEY ? await decideOrganization() : []
      cursor = afterKind(kind)
      return { rows: found, next: cursor, decided: 0 }
    }
    const { statements, limit } = STRATEGIES[strategy] ?? STRATEGIES[0]
    const values = [key, userId, defaultAccessType, atLeast, cursor.key, decisions, within, limit]
    const found = await db.run(statements[kind], values)
    const { tooMany = false, examinedTo = null } = found[0] ?? {}
    if (tooMany || statements === LIST_BY_SCAN) strategy = Math.min(strategy + 1, STRATEGIES.length - 1)
    if (tooMany) return { rows: [], next: cursor, decided: 0 }
    if (examinedTo === null) strategy = 0
    cursor = examinedTo === null ? afterKind(kind) : { kind, key: examinedTo }
    return {
      rows: found.flatMap(({ resourceKey, ...row }) =>
        resourceKey === null ? [] : [{ ...row, cursor: { kind, key: resourceKey } }],
      ),
      next: cursor,
      decided: examinedTo === null ? 0 : decisions,
    }
  }

  async function decideOrganization(): Promise<FoundResource[]> {
    const resource = { organizationKey: key, kind: 'organization' as const, resourceId: organizationId }
    const decisions = await db.runSet(DECIDE, [{ req: 0, ...resource, userId, defaultAccessType, atLeast }])
    return decisions
      .filter(({ allowed }) => allowed)
      .map((decision) => ({ ...decision, resourceId: organizationId, cursor: { kind: 'organization', key } }))
  }
}

const listedResource = (row: FoundResource, organizationId: string): ListedResource => ({
  type: row.cursor.kind,
  id: row.resourceId,
  ...(row.cursor.kind === 'organization' ? {} : { organizationId }),
  ...decisionOf(row),
})
