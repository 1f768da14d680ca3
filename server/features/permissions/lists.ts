/** Listing what a user has access to, and who has access to a resource (rules/access.md#lists-of-access, ADR 0014). */
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
import { DECIDE, type DecisionRow } from './decision-statements.ts'
import { decisionOf } from './decisions.ts'
import { fillPage, type Part } from './fill-page.ts'
import { LIST_BY_PLACE } from './list-by-place-statements.ts'
import { LIST_BY_WALK } from './list-by-walk-statements.ts'
import { LIST_PERMITTED_USERS } from './user-list-statements.ts'

/** The order of kinds; within one the order is that of keys. */
const KINDS = ['organization', 'folder', 'document'] as const satisfies ResourceType[]

/** A list goes on after this. */
interface Place {
  kind: ResourceType
  key: string
}

/** Less than every key. */
const FIRST_KEY = '00000000-0000-0000-0000-000000000000'

/**
 * How a page is looked for: by the open places while those are few; otherwise past all there is, which is quick for a user
 * to whom much is open; and when that did not fill the page, by many places after all.
 */
const WAYS = [
  { by: LIST_BY_PLACE, reach: 100 },
  { by: LIST_BY_WALK, reach: 4_000 },
  { by: LIST_BY_PLACE, reach: 20_000 },
  { by: LIST_BY_WALK, reach: 20_000 },
] as const

interface FoundResource extends DecisionRow {
  place: Place
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
      const start = placeOf(pageTokens.decode(scope, data.pageToken))
      const within = await keyOf(db, key, folderId)
      const kinds = KINDS.filter(
        (kind) => (types?.includes(kind) ?? true) && (kind !== 'organization' || folderId === undefined),
      )
      const ask = { key, organizationId, userId, defaultAccessType: caller.defaultAccessType, atLeast, within }
      const { rows, next } = await fillPage(pageSize, findResources(db, ask, kinds, start), ({ place }) => place)
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
      const find = async (decisions: number): Promise<Part<DecisionRow & { userId: string }, string>> => {
        const asked = [key, resourceKey, caller.defaultAccessType, atLeast, after, decisions]
        const found = await db.run(LIST_PERMITTED_USERS, asked)
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

/** The key of what is listed: a folder, or the organization. */
async function keyOf(db: Db, key: OrganizationKey, folderId: string | undefined): Promise<string> {
  if (folderId !== undefined && folderId !== ROOT) return requireResource(db, key, { type: 'folder', id: folderId })
  await requireOrganization(db, key)
  return key
}

function placeOf(last: string | null): Place | null {
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

/** Each call finds what comes next, kind after kind. */
function findResources(db: Db, ask: ResourceQuestion, kinds: readonly ResourceType[], start: Place | null) {
  const { key, organizationId, userId, defaultAccessType, atLeast = null, within } = ask
  const firstOf = (kind: ResourceType | undefined): Place | null =>
    kind === undefined ? null : { kind, key: FIRST_KEY }
  const afterKind = (kind: ResourceType): Place | null => firstOf(kinds[kinds.indexOf(kind) + 1])
  let place = start ?? firstOf(kinds[0])
  let way = 0

  return async (decisions: number): Promise<Part<FoundResource, Place>> => {
    if (place === null) return { rows: [], next: null, decided: 0 }
    const { kind } = place
    if (kind === 'organization') {
      const found = place.key === FIRST_KEY ? await decideOrganization() : []
      place = afterKind(kind)
      return { rows: found, next: place, decided: 0 }
    }
    const { by, reach } = WAYS[way] ?? WAYS[0]
    const found = await db.run(by[kind], [key, userId, defaultAccessType, atLeast, place.key, decisions, within, reach])
    const { tooMany = false, examinedTo = null } = found[0] ?? {}
    if (tooMany || by === LIST_BY_WALK) way = Math.min(way + 1, WAYS.length - 1)
    if (tooMany) return { rows: [], next: place, decided: 0 }
    if (examinedTo === null) way = 0
    place = examinedTo === null ? afterKind(kind) : { kind, key: examinedTo }
    return {
      rows: found.flatMap(({ resourceKey, ...row }) =>
        resourceKey === null ? [] : [{ ...row, place: { kind, key: resourceKey } }],
      ),
      next: place,
      decided: examinedTo === null ? 0 : decisions,
    }
  }

  async function decideOrganization(): Promise<FoundResource[]> {
    const question = { organizationKey: key, kind: 'organization' as const, resourceId: organizationId }
    const decisions = await db.runSet(DECIDE, [{ req: 0, ...question, userId, defaultAccessType, atLeast }])
    return decisions
      .filter(({ allowed }) => allowed)
      .map((decision) => ({ ...decision, resourceId: organizationId, place: { kind: 'organization', key } }))
  }
}

const listedResource = (row: FoundResource, organizationId: string): ListedResource => ({
  type: row.place.kind,
  id: row.resourceId,
  ...(row.place.kind === 'organization' ? {} : { organizationId }),
  ...decisionOf(row),
})
