/** Loads the users and documents of the matrix. */
import type { DocumentRecord, ResourceName } from '#sdk/generated/operations.ts'
import type { CallOptions, Page } from '#sdk/options.ts'
import { isOpenInside, type Place, possibleUsers } from '#sdk/shared/access-rows.ts'
import type { FolderSearch } from '../../links/searches.ts'
import { profilesInside } from '../../queries/access/inside.ts'
import { namedPages, type Profile } from '../../queries/access/people.ts'
import { folderTree } from '../../queries/resources/folders.ts'
import type { Key } from '../../session/session.ts'
import { Cells } from './cells.ts'

export interface Matrix {
  users: Profile[]
  documents: DocumentRecord[]
  cells: Cells
  /** There are more than the matrix shows. */
  moreUsers: boolean
  /** The documents before the first one are in earlier parts. */
  firstDocument: number
  moreDocuments: boolean
  /** The first users, whose rows are complete: all of them, unless the checks were stopped. */
  completeUsers: number
  /** Somebody changed access while it was checked. */
  isOutdated: boolean
}

const USERS_MAX = 5_000
const DOCUMENTS_MAX = 1_000
const CELLS_MAX = 1_000_000
/** Lists of folders that are loaded at the same time. */
const LISTS_AT_ONCE = 4

const collator = new Intl.Collator(undefined, { numeric: true })
const byName = (one: Profile, other: Profile): number =>
  collator.compare(one.name ?? one.userId, other.name ?? other.userId)

/** Returns the matrix before its first check. `part` counts from 0: in each part there are up to a thousand documents. */
export async function emptyMatrix(key: Key, search: FolderSearch, part: number, signal: AbortSignal): Promise<Matrix> {
  const firstDocument = part * DOCUMENTS_MAX
  const [documents, candidates] = await Promise.all([
    upTo(DOCUMENTS_MAX, documentPages(key, search, { signal }), firstDocument),
    usersOf(key, search, { signal }),
  ])
  const usersMax = Math.min(USERS_MAX, Math.floor(CELLS_MAX / Math.max(1, documents.rows.length)))
  const users = candidates.rows.slice(0, usersMax).sort(byName)
  return {
    users,
    documents: documents.rows,
    cells: new Cells(users.length, documents.rows.length),
    moreUsers: candidates.more || users.length < candidates.rows.length,
    firstDocument,
    moreDocuments: documents.more,
    completeUsers: 0,
    isOutdated: false,
  }
}

/** Yields the documents of the organization, or of the folder and the folders below it. */
async function* documentPages(key: Key, search: FolderSearch, options: CallOptions): AsyncGenerator<DocumentRecord[]> {
  const { organizationId, folderId } = search
  if (folderId === undefined) return yield* rowsOf(key.client.documents.get.pages({ organizationId }, options))
  const folderIds = await folderTree(key, organizationId, folderId, options)
  for (let start = 0; start < folderIds.length; start += LISTS_AT_ONCE) {
    const lists = folderIds
      .slice(start, start + LISTS_AT_ONCE)
      .map((folderId) => rowsOf(key.client.documents.get.pages({ organizationId, folderId }, options)))
    const first = await Promise.all(lists.map((list) => list.next()))
    for (const [nth, list] of lists.entries()) {
      const found = first[nth]
      if (found !== undefined && !found.done) yield found.value
      yield* list
    }
  }
}

async function* rowsOf<Row>(pages: AsyncGenerator<Page<Row[]>>): AsyncGenerator<Row[], undefined> {
  for await (const { data } of pages) yield data
}

/** Users who may have access: members, users with access to the folder, and users with access to something inside. */
async function usersOf(key: Key, { organizationId, folderId }: FolderSearch, options: CallOptions) {
  const place: Place =
    folderId === undefined
      ? { type: 'organization', id: organizationId, organizationId }
      : { type: 'folder', id: folderId, organizationId }
  const isOpen = await isOpenInside(key.client, place, options)
  const lists = await Promise.all([
    upTo(USERS_MAX, rowsOf(key.client.users.get.pages({ organizationId }, options))),
    isOpen ? { rows: [], more: false } : upTo(USERS_MAX, permitted(key, organizationId, place, options)),
    upTo(USERS_MAX, possible(key, place, isOpen, options)),
  ])
  const byId = new Map<string, Profile>()
  for (const { rows } of lists)
    for (const { userId, name } of rows)
      byId.set(userId, { userId, ...((name ?? byId.get(userId)?.name) && { name: name ?? byId.get(userId)?.name }) })
  return { rows: [...byId.values()], more: lists.some(({ more }) => more) }
}

async function* permitted(
  key: Key,
  organizationId: string,
  resource: ResourceName,
  options: CallOptions,
): AsyncGenerator<Profile[]> {
  for await (const { data } of namedPages(key, organizationId, resource, {}, options)) yield data.users
}

/** Yields all users who may have access, each once. */
async function* possible(key: Key, place: Place, isOpen: boolean, options: CallOptions): AsyncGenerator<Profile[]> {
  const seen = new Set<string>()
  for await (const userIds of possibleUsers(key.client, place, isOpen, options)) {
    const found = [...new Set(userIds).difference(seen)]
    for (const userId of found) seen.add(userId)
    const profiles = await profilesInside(key, place.organizationId, found, options)
    yield found.map((userId) => ({ ...profiles.get(userId), userId }))
  }
}

async function upTo<Row>(
  max: number,
  pages: AsyncGenerator<Row[]>,
  skipped = 0,
): Promise<{ rows: Row[]; more: boolean }> {
  const rows: Row[] = []
  let seen = 0
  for await (const page of pages) {
    rows.push(...page.slice(Math.max(0, skipped - seen)))
    seen += page.length
    if (rows.length > max) return { rows: rows.slice(0, max), more: true }
  }
  return { rows, more: false }
}
