/** Reads threads with their comments (rules/comments.md#reading-threads). */
import type { ThreadRecord } from '#contract/comments/records.ts'
import type { getThreads } from '#contract/comments/threads.ts'
import type { OrganizationKey } from '#contract/core/ids.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { DataOf, ResultOf } from '#contract/core/operation.ts'
import { isOpenFolder, openDocuments, requireOpenDocument } from '#features/permissions/shared.ts'
import type { Kernel } from '#kernel'
import type { Session } from '#platform/db/db.ts'
import { cutPage, type Paged } from '#platform/secrets/page-token.ts'
import { invalidArgument } from '#platform/status-error.ts'
import type { UserCaller } from '#tenancy/callers/caller.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import { type AnyCaller, isUser, withoutAddresses } from '#tenancy/callers/own-user.ts'
import { requireDocumentOrOrganization } from '#tenancy/existence.ts'
import { assertComplete } from '#tenancy/page-bytes.ts'
import { folderDoesNotExist } from '#tenancy/refusals.ts'
import { peopleInThread, showingTo, threadRecord } from '../records.ts'
import { SNAPSHOT } from '../users/access.ts'
import { wordsOf } from '../words.ts'
import { agentFilterOf, type Filters, filterValues, isFiltered } from './filters.ts'
import {
  FIND_DOCUMENT_KEYS,
  FIND_FOLDER_OF_THREADS,
  FIND_THREADS,
  LIST_THREADS,
  LIST_THREADS_OF_DOCUMENTS,
  type StoredThread,
} from './read-statements.ts'

type Data = DataOf<typeof getThreads>
type Page = Paged<ResultOf<typeof getThreads>>

/** Before all threads, in both orders. */
const START = {
  desc: ['infinity', '', '00000000-0000-0000-0000-000000000000'],
  asc: ['-infinity', '', '00000000-0000-0000-0000-000000000000'],
}

export function createGetThreads({ db, pageTokens, config }: Kernel) {
  const words = wordsOf(config.HEADER_PREFIX)

  /** Returns the keys of the named documents; null for all documents of the organization. */
  async function documentsOf(reading: Reading, { documentId, documentIds }: Data): Promise<string[] | null> {
    const { session, key } = reading
    const document = await requireDocumentOrOrganization(session, key, documentId)
    if (document !== null) return [document]
    return documentIds === undefined ? null : keysOf(reading, documentIds)
  }

  async function keysOf({ session, key }: Reading, documentIds: readonly string[]): Promise<string[]> {
    const rows = [...new Set(documentIds)].map((id) => ({ organizationKey: key, documentId: id }))
    return (await session.runSet(FIND_DOCUMENT_KEYS, rows)).map(({ resourceKey }) => resourceKey)
  }

  /** Returns the keys of the named documents that are open to the user. Those that are not are like documents that do not exist. */
  async function openDocumentsOf(reading: Reading, caller: UserCaller, data: Data): Promise<string[]> {
    const { organizationId, documentId, documentIds } = data
    if (documentId !== undefined) await requireOpenDocument(reading.session, caller, { organizationId, documentId })
    const named = documentId === undefined ? documentIds : [documentId]
    if (named === undefined)
      throw invalidArgument([
        { field: 'documentIds', message: 'documentIds is required with a user token, or documentId' },
      ])
    const open = await openDocuments(reading.session, caller, organizationId, [...new Set(named)])
    return open.size === 0 ? [] : keysOf(reading, [...open.keys()])
  }

  async function folderOf(
    { session, key, caller }: Reading,
    { organizationId, folderId }: Data,
  ): Promise<string | null> {
    if (folderId === undefined) return null
    // For a user, a folder that is not open is like one that does not exist.
    if (isUser(caller) && !(await isOpenFolder(session, caller, organizationId, folderId))) return NO_FOLDER
    const [found] = await session.run(FIND_FOLDER_OF_THREADS, [key, folderId])
    if (found === undefined && !isUser(caller)) throw folderDoesNotExist()
    return found?.folderKey ?? NO_FOLDER
  }

  async function recordsOf(
    { session, caller, key }: Reading,
    organizationId: string,
    threads: readonly StoredThread[],
  ): Promise<ThreadRecord[]> {
    const people = threads.map((thread) => ({
      ...peopleInThread(thread),
      organizationKey: key,
      resourceKey: thread.resourceKey,
    }))
    const show = await showingTo(session, caller, people)
    const records = threads.map((thread) => threadRecord(thread, { caller, organizationId, words, show }))
    return withoutAddresses(caller, records)
  }

  /** Returns the named threads in the order of the call, with null for a thread that is unknown or does not match. */
  async function find(reading: Reading, data: Data, wanted: Wanted): Promise<(ThreadRecord | null)[]> {
    const { organizationId, annotationIds = [] } = data
    const ids = [...new Set(annotationIds)]
    const values = [reading.key, wanted.documents, ids, ...filterValues(wanted.filters), readerOf(reading)]
    const rows = await reading.session.run(FIND_THREADS, values)
    assertComplete(rows)
    const byId = Map.groupBy(await recordsOf(reading, organizationId, rows), ({ annotationId }) => annotationId)
    return ids.flatMap((id) => byId.get(id) ?? [null])
  }

  async function list(reading: Reading, data: Data, wanted: Wanted): Promise<Paged<ThreadRecord[]>> {
    const { organizationId, order = 'desc', pageSize = LIMITS.pageSizeMax, pageToken } = data
    const { documents, filters } = wanted
    const { caller, key } = reading
    const reader = readerOf(reading)
    const named = reader === null ? documents : [reader, data.documentId ?? null, ...(data.documentIds ?? [])]
    const scope = ['threads.get', caller.apiKeyId, organizationId, named, filterValues(filters), order]
    const token = pageTokens.decode(scope, pageToken)
    const after: string[] = token === null ? START[order] : JSON.parse(token)
    const { [order]: statement } = documents === null ? LIST_THREADS : LIST_THREADS_OF_DOCUMENTS
    const scan = (scanned: number) =>
      reading.session.run(statement, [
        ...[key, documents, ...after, scanned, pageSize + 1],
        ...[...filterValues(filters), reader],
      ])
    const most = isFiltered(filters)
      ? Math.floor(examinedMax(filters) / Math.max(1, documents?.length ?? 1))
      : pageSize + 1
    // Usually the first threads fill a page: only if they do not, as many are scanned as a page may scan.
    const first = Math.min(most, SCANNED_FIRST * (pageSize + 1))
    const found = await scan(first)
    const rows = first < most && found.some(({ isScanEnd }) => isScanEnd) ? await scan(most) : found
    const { page, last } = cutPage(rows, pageSize, ({ isScanEnd }) => isScanEnd)
    const threads = page.filter(({ matches }) => matches)
    return {
      data: await recordsOf(reading, organizationId, threads),
      ...(last && {
        nextPageToken: pageTokens.encode(
          scope,
          JSON.stringify([last.lastUpdated.toISOString(), last.annotationId, last.resourceKey]),
        ),
      }),
    }
  }

  async function read(reading: Reading, data: Data): Promise<Page> {
    const { annotationIds, groupByDocumentId = false } = data
    const { caller } = reading
    const agent = agentFilterOf(data, words)
    const documents = isUser(caller) ? await openDocumentsOf(reading, caller, data) : await documentsOf(reading, data)
    const wanted = { documents, filters: { ...data, ...agent, folderKey: await folderOf(reading, data) } }
    const found =
      annotationIds === undefined ? await list(reading, data, wanted) : { data: await find(reading, data, wanted) }
    return groupByDocumentId ? { ...found, data: byDocument(found.data) } : found
  }

  return async (caller: AnyCaller, data: Data): Promise<Page> => {
    const { organizationId, documentId, documentIds, annotationIds, pageToken } = data
    if (annotationIds !== undefined && pageToken !== undefined) throw oneOf('pageToken', 'annotationIds')
    if (documentId !== undefined && documentIds !== undefined) throw oneOf('documentIds', 'documentId')
    const key = organizationKey(caller, organizationId)
    if (!isUser(caller)) return read({ session: db, caller, key }, data)
    return db.transaction((session) => read({ session, caller, key }, data), SNAPSHOT)
  }
}

/** How many threads a filtered page scans at first, for each that it may have. */
const SCANNED_FIRST = 4

/** How many threads a filtered page scans: fewer if their texts have to be read. */
const examinedMax = ({ text }: Filters): number =>
  text === undefined ? LIMITS.threadsExaminedPerPageMax : LIMITS.threadsSearchedPerPageMax

/** A read of one organization. With a user token all of it is from one moment. */
interface Reading {
  session: Session
  caller: AnyCaller
  key: OrganizationKey
}

/** The user who reads; null: an auth token, which sees every thread. */
const readerOf = ({ caller }: Reading): string | null => (isUser(caller) ? caller.userId : null)

/** For a user, a folder that does not exist is like one in which nothing is open. */
const NO_FOLDER = '00000000-0000-0000-0000-000000000000'

interface Wanted {
  documents: string[] | null
  filters: Filters
}

const byDocument = (threads: readonly (ThreadRecord | null)[]): Record<string, ThreadRecord[]> =>
  Object.fromEntries(
    Map.groupBy(
      threads.filter((thread) => thread !== null),
      ({ metadata }) => metadata.documentId,
    ),
  )

const oneOf = (field: string, other: string) =>
  invalidArgument([{ field, message: `${field} must not be given together with ${other}` }])
