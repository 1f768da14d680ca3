/**
 * Previews a revocation of all access: what it would remove and what stays public, by page of organizations
 * (rules/resources.md#leaving).
 */
import { LIMITS } from '#contract/core/limits.ts'
import type { ResultOf } from '#contract/core/operation.ts'
import type { HeldAccess, RevocationPreview, revokeUserAccess } from '#contract/users/user-access.ts'
import type { Db } from '#platform/db/db.ts'
import type { SetStatement } from '#platform/db/statement.ts'
import type { Paged, PageTokens } from '#platform/secrets/page-token.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import {
  COUNT_HELD,
  FIND_DISABLED,
  FIRST_GRANTS,
  FIRST_USER_GROUPS,
  type FirstGrantRow,
  type FirstUserGroupRow,
  type HeldRow,
  LIST_ORGANIZATIONS,
  type OrganizationPageRow,
  type Pair,
} from './preview-statements.ts'

/** A statement examines no more pairs of a user and an organization. */
const PAIRS_PER_STATEMENT = 1_000

/** The maximum of grants and user groups on a page, which bounds its cost when users hold very many. */
const HELD_PER_PAGE = 100_000

const SHOWN = LIMITS.revokedItemsShownMax

export function createPreview({ db, pageTokens }: { db: Db; pageTokens: PageTokens }) {
  return async (
    caller: Caller,
    userIds: readonly string[],
    pageToken: string | undefined,
  ): Promise<Paged<ResultOf<typeof revokeUserAccess>>> => {
    const scope = ['user-access.revoke', caller.apiKeyId, userIds]
    const after = pageTokens.decode(scope, pageToken) ?? ''
    const { organizations, held, next } = await readPage(db, caller, { userIds, after })
    const preview: RevocationPreview = {
      users: await usersOf(db, caller, { userIds, held }),
      public: publicOf(caller, organizations),
    }
    return { data: { preview }, ...(next === undefined ? {} : { nextPageToken: pageTokens.encode(scope, next) }) }
  }
}

interface Page {
  organizations: OrganizationPageRow[]
  held: HeldRow[]
  /** The last organization of the page, if there are more. */
  next: string | undefined
}

async function readPage(
  db: Db,
  { apiKeyId }: Caller,
  { userIds, after }: { userIds: readonly string[]; after: string },
): Promise<Page> {
  const count = Math.floor(PAIRS_PER_STATEMENT / userIds.length)
  const page: Page = { organizations: [], held: [], next: undefined }
  for (let [last, pairs, items] = [after, 0, 0]; ; ) {
    const organizations = await db.run(LIST_ORGANIZATIONS, [apiKeyId, last, count])
    const named = organizations.flatMap((organization) => userIds.map((userId) => ({ ...organization, userId })))
    const held = named.length === 0 ? [] : await db.runSet(COUNT_HELD, named)
    page.organizations.push(...organizations)
    page.held.push(...held)
    const lastId = organizations.at(-1)?.organizationId
    if (lastId === undefined || organizations.length < count) return page
    last = lastId
    pairs += named.length
    items += held.reduce((sum, { resources, userGroups }) => sum + resources + userGroups, 0)
    if (pairs >= LIMITS.revokedPairsExaminedPerPageMax || items >= HELD_PER_PAGE) return { ...page, next: last }
  }
}

async function usersOf(
  db: Db,
  caller: Caller,
  { userIds, held }: { userIds: readonly string[]; held: readonly HeldRow[] },
): Promise<HeldAccess[]> {
  const disabled = await disabledOf(db, caller, userIds)
  const heldBy = Map.groupBy(held, ({ userId }) => userId)
  /**
   * The first pairs of each user with grants, or with user groups: each has at least one of the rows that are shown.
   */
  const firstWith = (kind: 'grants' | 'userGroups'): HeldRow[] =>
    [...heldBy.values()].flatMap((rows) => rows.filter((row) => row[kind] > 0).slice(0, SHOWN))
  const grantsOf = Map.groupBy(await rowsOf(db, FIRST_GRANTS, firstWith('grants')), ({ userId }) => userId)
  const groupsOf = Map.groupBy(await rowsOf(db, FIRST_USER_GROUPS, firstWith('userGroups')), ({ userId }) => userId)
  return userIds.map((userId) => ({
    userId,
    disabled: disabled.has(userId),
    ...countsOf(heldBy.get(userId) ?? []),
    firstGrants: (grantsOf.get(userId) ?? []).slice(0, SHOWN).map(grantOf),
    firstUserGroups: (groupsOf.get(userId) ?? []).slice(0, SHOWN).map(userGroupOf),
  }))
}

async function disabledOf(
  db: Db,
  { apiKeyId, hasDisabledUsers }: Caller,
  userIds: readonly string[],
): Promise<Set<string>> {
  const rows = userIds.map((userId) => ({ apiKeyId, userId }))
  const found = hasDisabledUsers ? await db.runSet(FIND_DISABLED, rows) : []
  return new Set(found.map(({ userId }) => userId))
}

const rowsOf = async <Row>(db: Db, first: SetStatement<Pair, Row>, pairs: readonly Pair[]): Promise<Row[]> =>
  pairs.length === 0 ? [] : db.runSet(first, pairs)

function countsOf(held: readonly HeldRow[]) {
  const sum = (count: (row: HeldRow) => number): number => held.reduce((total, row) => total + count(row), 0)
  return {
    organizations: held.length,
    grants: sum(({ grants }) => grants),
    temporaryGrants: sum(({ temporaryGrants }) => temporaryGrants),
    userGroups: sum(({ userGroups }) => userGroups),
    hasMore: held.some(({ resources, userGroups }) => Math.max(resources, userGroups) >= LIMITS.revokedItemsCountedMax),
    firstOrganizations: held.slice(0, SHOWN).map(({ organizationId }) => organizationId),
  }
}

const grantOf = ({ organizationId, type, id, accessRole, expiresAt }: FirstGrantRow) => ({
  organizationId,
  type,
  id,
  accessRole,
  ...(expiresAt === null ? {} : { expiresAt: Math.floor(expiresAt.getTime() / 1000) }),
})

const userGroupOf = ({ organizationId, groupId, groupName }: FirstUserGroupRow) => ({
  organizationId,
  groupId,
  ...(groupName === null ? {} : { groupName }),
})

function publicOf({ defaultAccessType, defaultAccessRole }: Caller, organizations: readonly OrganizationPageRow[]) {
  const open = organizations.filter(({ isPublic }) => isPublic)
  return {
    byDefault: defaultAccessType === 'public',
    accessRole: defaultAccessRole,
    organizations: open.length,
    firstOrganizations: open.slice(0, SHOWN).map(({ organizationId }) => organizationId),
  }
}
