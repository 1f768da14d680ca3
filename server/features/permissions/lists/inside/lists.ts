/** Lists the users who have no access to a folder or organization, but to something inside it (rules/access.md#lists-of-access). */
import type { EveryoneInside, ListedUser, listPermittedUsers } from '#contract/access/access-lists.ts'
import { type AccessRole, organizationFault, type ResourceName } from '#contract/access/permissions.ts'
import type { OrganizationKey } from '#contract/core/ids.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { DataOf, ResultOf } from '#contract/core/operation.ts'
import type { Db } from '#platform/db/db.ts'
import type { Paged, PageTokens } from '#platform/secrets/page-token.ts'
import { invalidArgument } from '#platform/status-error.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { organizationKey, owningOrganization } from '#tenancy/callers/keys.ts'
import { requireResource } from '#tenancy/existence.ts'
import { decisionOf } from '../../decision/forms.ts'
import type { DecisionRow } from '../../decision/rows.ts'
import { DECIDE } from '../../decision/statement.ts'
import type { ResourceQuestion } from '../listed-resources.ts'
import { INSIDE_BY_RESOURCE } from './by-resource-statements.ts'
import { INSIDE_BY_USER } from './by-user-statements.ts'
import { ANYBODY, continueTally, insideOf, NOTHING, type Tally } from './tallies.ts'

/** Users that one statement finds at most. */
const CANDIDATES = 200
/** Resources inside, up to which those with grants on them are read; beyond, the users of the organization are examined. */
const RESOURCES_MAX = 1_000
/** Grants of one user that are examined. */
const GRANTS_MAX = 100
/** After this time, a page is returned even if it is not full. */
const PAGE_MS_MAX = 5_000

/** All users before this one were examined, and this one too, unless there is a tally, with which counting continues. */
interface Position {
  userId: string
  tally?: Tally
}

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

export type InsideLists = ReturnType<typeof createInsideLists>

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
      const { resource, organizationId, atLeast } = place
      const query = [caller.apiKeyId, organizationId, resource.type, resource.id, atLeast]
      const scope = ['permitted-users.list-inside', ...query]
      const last = pageTokens.decode(scope, pageToken)
      const start: Position = last === null ? { userId: ANYBODY, tally: NOTHING } : JSON.parse(last)
      const [anybody] = await decide(db, place, [ANYBODY])
      const everyone = anybody?.allowed === true
      const { next, ...found } = await fill(db, place, pageSize, start, performance.now() + pageMsMax)
      return {
        data: { ...found, everyone, ...(everyone && { everyoneRole: place.defaultAccessRole }) },
        ...(next !== null && { nextPageToken: pageTokens.encode(scope, JSON.stringify(next)) }),
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

interface Found {
  users: ListedUser[]
  everyoneInside?: EveryoneInside
  next: Position | null
}

/** Examines users from `start` on until the page is full, `deadline` has passed, or all users were examined. */
async function fill(db: Db, place: Place, pageSize: number, start: Position, deadline: number): Promise<Found> {
  const find = createFind(db, place)
  const found: Found = { users: [], next: start }
  while (found.next !== null) {
    const { userId, tally } = found.next
    const { userIds, examinedTo } = tally === undefined ? await find(userId) : { userIds: [userId], examinedTo: userId }
    const decisions = await decide(db, place, userIds)
    for (const [nth, candidate] of userIds.entries()) {
      const decision = decisions[nth] as DecisionRow
      if (decision.allowed && candidate !== ANYBODY) continue
      const question = questionAbout(place, candidate)
      const counted = await continueTally(db, question, tally ?? NOTHING, deadline)
      found.next = { userId: candidate, ...(counted.next !== null && { tally: counted }) }
      if (counted.next !== null) return found
      if (candidate === ANYBODY) found.everyoneInside = counted.resources === 0 ? { resources: 0 } : insideOf(counted)
      else if (isListed(counted))
        found.users.push({ userId: candidate, ...decisionOf(decision), inside: insideOf(counted) })
      if (found.users.length === pageSize || performance.now() > deadline) return found
    }
    found.next = examinedTo === null ? null : { userId: examinedTo }
    if (performance.now() > deadline) return found
  }
  return found
}

/** Returns a function that finds the users after an id who may have access to something inside. */
function createFind(db: Db, { key, resourceKey, atLeast, defaultAccessRole }: Place) {
  let isSmall = true
  return async (after: string): Promise<{ userIds: string[]; examinedTo: string | null }> => {
    const values = [key, resourceKey, atLeast, after, CANDIDATES]
    let rows = isSmall ? await db.run(INSIDE_BY_RESOURCE, [...values, RESOURCES_MAX, defaultAccessRole]) : []
    isSmall &&= rows[0]?.tooMany !== true
    if (!isSmall) rows = await db.run(INSIDE_BY_USER, [...values, GRANTS_MAX, defaultAccessRole])
    return {
      userIds: rows.flatMap(({ userId }) => userId ?? []),
      examinedTo: rows[0]?.examinedTo ?? null,
    }
  }
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

/** What a user has access to inside the place. */
const questionAbout = ({ key, resource, organizationId, ...place }: Place, userId: string): ResourceQuestion => ({
  organizationKey: key,
  organizationId,
  userId,
  folderId: resource.type === 'folder' ? resource.id : null,
  defaultAccessType: place.defaultAccessType,
  defaultAccessRole: place.defaultAccessRole,
  hasDisabledUsers: place.hasDisabledUsers,
  atLeast: place.atLeast,
})

/** Where more is public than is counted, candidates are listed without looking for what is theirs alone. */
const isListed = ({ resources, isHeld }: Tally): boolean => isHeld || resources > LIMITS.insideResourcesMax
