/** Loads the users and documents of the matrix, then checks all pairs, a thousand per call, user after user. */
import { queryOptions } from '@tanstack/react-query'
import type { DocumentRecord, ResourceName } from '#sdk/generated/operations.ts'
import type { CallOptions, Page } from '#sdk/options.ts'
import { isOpenInside, type Place, possibleUsers } from '#sdk/shared/access-rows.ts'
import type { FolderSearch } from '../../links/searches.ts'
import { profilesInside } from '../../queries/access/inside.ts'
import { namedPages, type Profile } from '../../queries/access/people.ts'
import { queryKeyOf } from '../../queries/keys/keys.ts'
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
}

/** A matrix whose checks are under way. Its first rows are complete. */
export interface Checking {
  part: number
  matrix: Matrix
  completeUsers: number
  /** Of all pairs. */
  checkedFraction: number
}

const USERS_MAX = 5_000
const DOCUMENTS_MAX = 1_000
const CELLS_MAX = 1_000_000
const CHECKS_PER_CALL = 1_000
const CALLS_AT_ONCE = 4

const collator = new Intl.Collator(undefined, { numeric: true })
const byName = (one: Profile, other: Profile): number =>
  collator.compare(one.name ?? one.userId, other.name ?? other.userId)

/**
 * `part` counts from 0: in each part there are up to a thousand documents. The users are in the order of their names, so
 * that rows are only added below those that `onProgress` has shown.
 */
export const matrixQuery = (key: Key, search: FolderSearch, part: number, onProgress: (checking: Checking) => void) =>
  queryOptions({
    queryKey: queryKeyOf(key, 'matrix', search, part),
    queryFn: async ({ signal }): Promise<Matrix> => {
      const firstDocument = part * DOCUMENTS_MAX
      const [documents, candidates] = await Promise.all([
        upTo(DOCUMENTS_MAX, documentPages(key, search, { signal }), firstDocument),
        usersOf(key, search, { signal }),
      ])
      const usersMax = Math.min(USERS_MAX, Math.floor(CELLS_MAX / Math.max(1, documents.rows.length)))
      const users = candidates.rows.slice(0, usersMax).sort(byName)
      const matrix = {
        users,
        documents: documents.rows,
        cells: new Cells(users.length, documents.rows.length),
        moreUsers: candidates.more || users.length < candidates.rows.length,
        firstDocument,
        moreDocuments: documents.more,
      }
      await checkAll(key, search, matrix, signal, (checked) => onProgress({ part, matrix, ...checked }))
      return matrix
    },
    // Stale only after a change: it takes long to compute.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  })

/** Yields the documents of the organization, or of the folder and the folders below it. */
async function* documentPages(key: Key, search: FolderSearch, options: CallOptions): AsyncGenerator<DocumentRecord[]> {
  const { organizationId, folderId } = search
  if (folderId === undefined) return yield* rowsOf(key.client.documents.get.pages({ organizationId }, options))
  const folderIds = await folderTree(key, organizationId, folderId, options)
  for (let start = 0; start < folderIds.length; start += CALLS_AT_ONCE) {
    const lists = folderIds
      .slice(start, start + CALLS_AT_ONCE)
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

async function checkAll(
  key: Key,
  { organizationId }: FolderSearch,
  matrix: Matrix,
  signal: AbortSignal,
  onProgress: (checked: Pick<Checking, 'completeUsers' | 'checkedFraction'>) => void,
): Promise<void> {
  const { users, documents, cells } = matrix
  const count = users.length * documents.length
  let next = 0
  let checked = 0
  /** Where the calls under way begin; they end in any order. */
  const underWay = new Set<number>()
  const work = async () => {
    while (next < count) {
      const start = next
      const end = Math.min(count, start + CHECKS_PER_CALL)
      next = end
      underWay.add(start)
      const checks = Array.from({ length: end - start }, (_, offset) => {
        const index = start + offset
        const userId = users[Math.floor(index / documents.length)]?.userId ?? ''
        const id = documents[index % documents.length]?.id ?? ''
        return { userId, resource: { type: 'document' as const, id, organizationId } }
      })
      const answer = await key.client.permissions.check({ checks }, { signal })
      for (const [offset, decision] of answer.checks.entries()) cells.set(start + offset, decision)
      underWay.delete(start)
      checked += end - start
      const completeUsers = Math.floor(Math.min(next, ...underWay) / documents.length)
      onProgress({ completeUsers, checkedFraction: checked / count })
    }
  }
  await Promise.all(Array.from({ length: CALLS_AT_ONCE }, work))
}
