/** Lists and counts users with grants (rules/contract.md#pages, rules/resources.md#members). */

import { isStronger, type ResourceType } from '#contract/access/permissions.ts'
import type { OrganizationKey } from '#contract/core/ids.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { DataOf, ResultOf } from '#contract/core/operation.ts'
import type { getDocumentUsers } from '#contract/users/document-users.ts'
import type { DocumentUser, UserRecord } from '#contract/users/user-records.ts'
import type { countUsers, getUsers } from '#contract/users/users.ts'
import type { Db } from '#platform/db/db.ts'
import { cutPage, type Paged, type PageTokens } from '#platform/secrets/page-token.ts'
import { invalidArgument } from '#platform/status-error.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import { requireResourceAndAccess } from '#tenancy/existence.ts'
import { type Found, publicWarnings } from '#tenancy/public-access.ts'
import { COUNT_DOCUMENT_USERS, COUNT_NAMED_DOCUMENT_USER, COUNT_NAMED_USER, COUNT_USERS } from './count-statements.ts'
import { assertFewUsers, withInvolvedDocuments } from './involved-documents.ts'
import {
  type DocumentUserRow,
  LIST_DOCUMENT_USERS,
  LIST_NAMED_DOCUMENT_USERS,
  LIST_NAMED_USERS,
  LIST_NAMED_USERS_BY_DOCUMENT,
  LIST_USERS,
  LIST_USERS_BY_DOCUMENT,
  type UserRow,
} from './list-statements.ts'
import { searchPattern } from './search-pattern.ts'
import { targetOf } from './target.ts'

type GetData = DataOf<typeof getUsers>
type Page = Paged<ResultOf<typeof getUsers>>
type DocumentUsersPage = Paged<ResultOf<typeof getDocumentUsers>>

/** The resource whose users are listed. */
interface Place {
  resourceKey: string
  kind: ResourceType
}

/**
 * The users of groups are merged in the order of their ids before the first is examined. So at first this many are merged for
 * each row of the page, and all only if these do not fill it.
 */
const GROUP_USERS_PER_SHOWN = 4

/** Sorts before every key. The cursor of a list by document is a document's key and a user id. */
const FIRST_KEY = '00000000-0000-0000-0000-000000000000'

export function createUserLists({ db, pageTokens }: { db: Db; pageTokens: PageTokens }) {
  /** Returns the requested resource, or null for all documents, and which of its parts are public. */
  async function requested(
    key: OrganizationKey,
    data: Pick<GetData, 'organizationId' | 'documentId' | 'folderId' | 'allDocuments'>,
  ): Promise<{ place: Place | null; found: Found[] }> {
    const { resource } = targetOf(data)
    const { type } = resource
    if (data.allDocuments && type !== 'organization')
      throw invalidArgument([
        { field: 'allDocuments', message: `allDocuments must not be given together with ${type}Id` },
      ])
    const { resourceKey, ...access } = await requireResourceAndAccess(db, key, resource)
    return { place: data.allDocuments ? null : { resourceKey, kind: type }, found: [{ ...access, resource }] }
  }

  async function get(caller: Caller, data: GetData): Promise<Page> {
    const { allDocuments = false, groupByDocumentId = false, pageSize = LIMITS.pageSizeMax } = data
    if (groupByDocumentId && !allDocuments)
      throw invalidArgument([{ field: 'groupByDocumentId', message: 'groupByDocumentId requires allDocuments: true' }])
    if (data.includeInvolvedDocuments) assertFewUsers(data)
    const key = organizationKey(caller, data.organizationId)
    const { place, found } = await requested(key, data)
    const warnings = publicWarnings(caller, found)
    const { pageSize: _, pageToken, ...query } = data
    const scope = ['users.get', caller.apiKeyId, ...Object.entries(query).sort()]
    const after = pageTokens.decode(scope, pageToken) ?? ''
    if (groupByDocumentId) {
      const rows = await listByDocument(caller, key, after, data)
      const { shown, last } = cut(rows, pageSize)
      const next = last && { nextPageToken: pageTokens.encode(scope, `${last.resourceKey}${last.userId}`) }
      return { data: byDocument(shown), ...next, ...warnings }
    }
    const rows = await list(caller, key, place, after, data)
    const { shown, last } = cut(rows, pageSize)
    const users = shown.map(recordOf)
    return {
      data: data.includeInvolvedDocuments ? await withInvolvedDocuments(db, key, users) : users,
      ...(last && { nextPageToken: pageTokens.encode(scope, last.userId) }),
      ...warnings,
    }
  }

  return {
    get,

    async getOfDocuments(caller: Caller, data: DataOf<typeof getDocumentUsers>): Promise<DocumentUsersPage> {
      const { data: users, ...next } = await get(caller, { ...data, allDocuments: true })
      return { data: users as DocumentUser[], ...next }
    },

    async count(caller: Caller, data: DataOf<typeof countUsers>): Promise<ResultOf<typeof countUsers>> {
      const key = organizationKey(caller, data.organizationId)
      const { place } = await requested(key, data)
      const [counted] = await count(key, place, data.userId)
      return { count: counted?.count ?? 0 }
    },
  }

  function count(key: OrganizationKey, place: Place | null, userId: string | undefined): Promise<{ count: number }[]> {
    if (place === null)
      return userId === undefined
        ? db.run(COUNT_DOCUMENT_USERS, [key])
        : db.run(COUNT_NAMED_DOCUMENT_USER, [key, userId])
    const { resourceKey, kind } = place
    return userId === undefined
      ? db.run(COUNT_USERS, [key, resourceKey])
      : db.run(COUNT_NAMED_USER, [key, resourceKey, userId, kind])
  }

  async function list(
    caller: Caller,
    key: OrganizationKey,
    place: Place | null,
    after: string,
    data: GetData,
  ): Promise<UserRow[]> {
    const values = commonValues(caller, key, after, data)
    if (data.userIds === undefined && data.organizationUserGroupIds === undefined)
      return place === null ? db.run(LIST_DOCUMENT_USERS, values) : db.run(LIST_USERS, [...values, place.resourceKey])
    const read = (named: unknown[]) =>
      place === null
        ? db.run(LIST_NAMED_DOCUMENT_USERS, [...named, data.userIds ?? null])
        : db.run(LIST_NAMED_USERS, [...named, data.userIds ?? null, place.resourceKey, place.kind])
    if (data.userIds === undefined) {
      const rows = await read(commonValues(caller, key, after, data, GROUP_USERS_PER_SHOWN))
      if (!rows.some(({ isScanEnd }) => isScanEnd)) return rows
    }
    return read(values)
  }

  function listByDocument(caller: Caller, key: OrganizationKey, after: string, data: GetData) {
    const afterKey = after.slice(0, FIRST_KEY.length) || FIRST_KEY
    const values = [...commonValues(caller, key, after.slice(FIRST_KEY.length), data), afterKey]
    return data.userIds === undefined
      ? db.run(LIST_USERS_BY_DOCUMENT, values)
      : db.run(LIST_NAMED_USERS_BY_DOCUMENT, [...values, data.userIds])
  }
}

/** Returns the values $1 to $8 of every list. One row more than the page size shows whether there is a next page. */
const commonValues = (
  caller: Caller,
  key: OrganizationKey,
  after: string,
  { pageSize = LIMITS.pageSizeMax, searchKey, organizationUserGroupIds, disabled }: GetData,
  examinedPerShown: number = LIMITS.usersExaminedPerPageMax,
): unknown[] => [
  key,
  caller.apiKeyId,
  after,
  pageSize + 1,
  Math.min(examinedPerShown * (pageSize + 1), LIMITS.usersExaminedPerPageMax),
  searchKey === undefined ? null : searchPattern(searchKey),
  organizationUserGroupIds ?? null,
  disabled ?? null,
]

/** Returns the users of a page, and the row after which the next page begins, if there is one. */
function cut<Row extends UserRow>(rows: readonly Row[], pageSize: number): { shown: Row[]; last: Row | undefined } {
  const { page, last } = cutPage(rows, pageSize, ({ isScanEnd }) => isScanEnd)
  return { shown: page.filter(({ matches }) => matches), last }
}

function recordOf({ userId, profile, disabled, ...row }: UserRow): UserRecord {
  const { name, initial } = profile ?? {}
  const firstLetter = typeof name === 'string' && initial === undefined ? [...name.trim()][0] : undefined
  return {
    ...profile,
    ...(firstLetter === undefined ? {} : { initial: firstLetter.toUpperCase() }),
    userId,
    ...(disabled ? { disabled } : {}),
    ...accessOf(row),
  }
}

/** Returns the stronger role of a row's live grants, and the latest expiry of the grants that give it. */
function accessOf({
  standingRole,
  temporaryRole,
  expiresAt,
}: Pick<UserRow, 'standingRole' | 'temporaryRole' | 'expiresAt'>) {
  const standing = standingRole === null ? undefined : { accessRole: standingRole }
  if (temporaryRole === null || expiresAt === null) return standing
  const temporary = { accessRole: temporaryRole, expiresAt: Math.floor(expiresAt.getTime() / 1000) }
  if (standing === undefined) return temporary
  const isTemporary = isStronger(temporaryRole, standing.accessRole)
  return { ...(isTemporary ? temporary : standing), liveGrants: [standing, temporary] }
}

/** Groups the rows of a page by document, in id order. */
function byDocument(rows: readonly DocumentUserRow[]): Record<string, UserRecord[]> {
  const documents = new Map<string, UserRecord[]>()
  for (const row of rows) {
    const users = documents.get(row.documentId) ?? []
    documents.set(row.documentId, users)
    users.push(recordOf(row))
  }
  return Object.fromEntries([...documents].sort(([one], [other]) => (one < other ? -1 : 1)))
}
