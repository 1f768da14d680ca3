/** Lists the users who have access to something inside a folder or organization, but not to it itself (rules/access.md#lists-of-access). */
import type { Inside, ListedResource, ListedUser, listPermittedUsers } from '#contract/access/access-lists.ts'
import {
  ACCESS_ROLES,
  type AccessRole,
  isStronger,
  organizationFault,
  type ResourceName,
} from '#contract/access/permissions.ts'
import type { OrganizationKey } from '#contract/core/ids.ts'
import { LIMITS, thousands } from '#contract/core/limits.ts'
import type { DataOf, ResultOf } from '#contract/core/operation.ts'
import type { Db } from '#platform/db/db.ts'
import type { Paged, PageTokens } from '#platform/secrets/page-token.ts'
import { invalidArgument, StatusError } from '#platform/status-error.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { organizationKey, owningOrganization } from '#tenancy/callers/keys.ts'
import { requireResource } from '#tenancy/existence.ts'
import { publicAnyhow, publicInside } from '#tenancy/public-access.ts'
import { decisionOf } from '../../decision/forms.ts'
import type { DecisionRow } from '../../decision/rows.ts'
import { DECIDE } from '../../decision/statement.ts'
import { findResources, runIn } from '../listed-resources.ts'
import { INSIDE_CANDIDATES } from './statements.ts'

/** Users that one statement finds at most. */
const CANDIDATES = 200
/** After this time, a page is returned even if it is not full. */
const PAGE_MS_MAX = 5_000
/** Stands for everybody without a grant, who have no role but the default: no user has the empty id, and it sorts before all others. */
const ANYBODY = ''

interface Place {
  key: OrganizationKey
  resource: ResourceName
  resourceKey: string
  organizationId: string
  defaultAccessType: Caller['defaultAccessType']
  defaultAccessRole: Caller['defaultAccessRole']
  hasDisabledUsers: boolean
  atLeast: AccessRole | null
}

type Data = DataOf<typeof listPermittedUsers>

interface Parts {
  db: Db
  pageTokens: PageTokens
  pageMsMax?: number
}

export function createInsideLists({ db, pageTokens, pageMsMax = PAGE_MS_MAX }: Parts) {
  return {
    async users(caller: Caller, data: Data): Promise<Paged<ResultOf<typeof listPermittedUsers>>> {
      const { pageToken, pageSize = LIMITS.pageSizeMax } = data
      const place = await placeOf(db, caller, data)
      const { resource, organizationId, atLeast, defaultAccessRole } = place
      const query = [caller.apiKeyId, organizationId, resource.type, resource.id, atLeast]
      const scope = ['permitted-users.list-inside', ...query]
      const after = pageTokens.decode(scope, pageToken)
      const { users, next } = await fill(db, place, pageSize, after ?? ANYBODY, performance.now() + pageMsMax)
      const [anybody] = await decide(db, place, [ANYBODY])
      const inside = after === null ? insideOf(await resourcesOf(db, place, ANYBODY)) : undefined
      return {
        data: {
          users,
          everyone: anybody?.allowed === true,
          ...(anybody?.allowed && { everyoneRole: defaultAccessRole }),
          ...(after === null && { everyoneInside: inside ?? { resources: 0 } }),
        },
        ...(next !== null && { nextPageToken: pageTokens.encode(scope, next) }),
        ...(anybody?.allowed
          ? publicAnyhow(caller, resource)
          : inside && publicInside(inside.accessRole, resource, inside.resources)),
      }
    },
  }
}

async function placeOf(db: Db, caller: Caller, data: Data): Promise<Place> {
  const { resource, atLeast = null } = data
  if (resource.type === 'document')
    throw invalidArgument([{ field: 'inside', message: 'inside must be false for a document: nothing is inside it' }])
  const fault = organizationFault(resource, 'resource')
  if (fault !== undefined) throw invalidArgument([fault])
  const organizationId = owningOrganization(resource)
  const key = organizationKey(caller, organizationId)
  const resourceKey = await requireResource(db, key, resource)
  const { defaultAccessType, defaultAccessRole, hasDisabledUsers } = caller
  return { key, resource, resourceKey, organizationId, defaultAccessType, defaultAccessRole, hasDisabledUsers, atLeast }
}

/** Examines users after `start` until the page is full, `deadline` has passed, or all were examined. `next`: the last one examined. */
async function fill(db: Db, place: Place, pageSize: number, start: string, deadline: number) {
  const users: ListedUser[] = []
  let next: string | null = start
  do {
    const { userIds, examinedTo } = await candidatesAfter(db, place, next)
    const decisions = await decide(db, place, userIds)
    for (const [nth, userId] of userIds.entries()) {
      const decision = decisions[nth] as DecisionRow
      if (decision.allowed) continue
      const resources = await resourcesOf(db, place, userId)
      const inside = insideOf(resources)
      if (inside !== undefined && !resources.every((resource) => isForEverybody(resource, place)))
        users.push({ userId, ...decisionOf(decision), inside })
      if (users.length === pageSize || performance.now() > deadline) return { users, next: userId }
    }
    next = examinedTo
  } while (next !== null && performance.now() <= deadline)
  return { users, next }
}

/** Finds the users after an id who may have access to something inside. */
async function candidatesAfter(db: Db, place: Place, after: string) {
  const { key, resourceKey, atLeast, defaultAccessRole } = place
  const values = [key, resourceKey, atLeast, after, CANDIDATES, LIMITS.insideResourcesMax, defaultAccessRole]
  const rows = await db.run(INSIDE_CANDIDATES, values)
  if (rows[0]?.tooMuch === true) throw tooMuchInside()
  return { userIds: rows.flatMap(({ userId }) => userId ?? []), examinedTo: rows[0]?.examinedTo ?? null }
}

/** Decides about the folder or organization itself, for each user. */
const decide = (
  db: Db,
  { key, resource, defaultAccessType, defaultAccessRole, atLeast }: Place,
  userIds: readonly string[],
): Promise<readonly DecisionRow[]> =>
  db.runSet(
    DECIDE,
    userIds.map((userId) => ({
      req: 0,
      organizationKey: key,
      kind: resource.type,
      resourceId: resource.id,
      userId,
      defaultAccessType,
      defaultAccessRole,
      atLeast,
    })),
  )

/**
 * Returns everything inside to which a user has access. All statements see one moment: otherwise a user whose access
 * changes from a document to a folder in between could be found at neither.
 */
function resourcesOf(db: Db, { key, resource, ...place }: Place, userId: string): Promise<ListedResource[]> {
  const folderId = resource.type === 'folder' ? resource.id : null
  return db.transaction(
    async (session) => {
      const question = { ...place, organizationKey: key, userId, folderId }
      const find = findResources(session, runIn(session), question, ['folder', 'document'], null)
      const found: ListedResource[] = []
      let batch: Awaited<ReturnType<typeof find>>
      do {
        batch = await find(LIMITS.insideResourcesMax)
        for (const { resource: one } of batch.rows) if (one.type !== 'folder' || one.id !== folderId) found.push(one)
        if (found.length > LIMITS.insideResourcesMax) throw tooMuchInside() // added a moment ago
      } while (batch.next !== null)
      return found
    },
    { snapshot: true },
  )
}

/** Returns how much it is, in the form of the API, with the widest role. */
function insideOf(resources: readonly ListedResource[]): Inside | undefined {
  if (resources.length === 0) return undefined
  const has = (role: AccessRole) => resources.some(({ accessRole }) => accessRole === role)
  return { resources: resources.length, accessRole: ACCESS_ROLES.findLast(has) ?? 'viewer' }
}

/** Whether everybody has as much access. */
const isForEverybody = ({ reason, accessRole = 'viewer' }: ListedResource, { defaultAccessRole }: Place): boolean =>
  reason === 'access_type' && !isStronger(accessRole, defaultAccessRole)

const tooMuchInside = (): StatusError =>
  new StatusError(
    'RESOURCE_EXHAUSTED',
    'too_much_inside',
    `More than ${thousands(LIMITS.insideResourcesMax)} folders and documents are inside; ask about a folder in it, or read who holds grants with auth/permissions/grants/list.`,
  )
