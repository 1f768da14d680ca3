/** Reads threads with their comments (rules/comments.md#reading-threads). */
import type { ThreadRecord } from '#contract/comments/records.ts'
import type { getThreads } from '#contract/comments/threads.ts'
import type { OrganizationKey } from '#contract/core/ids.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { DataOf, ResultOf } from '#contract/core/operation.ts'
import type { Kernel } from '#kernel'
import { cutPage, type Paged } from '#platform/secrets/page-token.ts'
import { invalidArgument } from '#platform/status-error.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import { requireOrganization, requireResource } from '#tenancy/existence.ts'
import { assertComplete } from '#tenancy/page-bytes.ts'
import { folderDoesNotExist } from '#tenancy/refusals.ts'
import { showing, shownInThread, threadRecord } from '../records.ts'
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

  /** Returns the keys of the named documents; null: those of the whole organization. */
  async function documentsOf(key: OrganizationKey, { documentId, documentIds }: Data): Promise<string[] | null> {
    if (documentId !== undefined && documentIds !== undefined) throw oneOf('documentIds', 'documentId')
    if (documentId !== undefined) return [await requireResource(db, key, { type: 'document', id: documentId })]
    if (documentIds === undefined) return null
    const rows = [...new Set(documentIds)].map((id) => ({ organizationKey: key, documentId: id }))
    return (await db.runSet(FIND_DOCUMENT_KEYS, rows)).map(({ resourceKey }) => resourceKey)
  }

  async function folderOf(key: OrganizationKey, { folderId }: Data): Promise<string | null> {
    if (folderId === undefined) return null
    const [found] = await db.run(FIND_FOLDER_OF_THREADS, [key, folderId])
    if (found === undefined) throw folderDoesNotExist()
    return found.folderKey
  }

  async function recordsOf(
    caller: Caller,
    organizationId: string,
    threads: readonly StoredThread[],
  ): Promise<ThreadRecord[]> {
    const show = await showing(db, caller, new Set(threads.flatMap(shownInThread)))
    return threads.map((thread) => threadRecord(thread, { caller, organizationId, words, show }))
  }

  /** Returns the named threads in the order of the call; null stands for one that is unknown or does not match. */
  async function find(caller: Caller, data: Data, wanted: Wanted): Promise<(ThreadRecord | null)[]> {
    const { organizationId, annotationIds = [] } = data
    const ids = [...new Set(annotationIds)]
    const rows = await db.run(FIND_THREADS, [wanted.key, wanted.documents, ids, ...filterValues(wanted.filters)])
    assertComplete(rows)
    const byId = Map.groupBy(await recordsOf(caller, organizationId, rows), ({ annotationId }) => annotationId)
    return ids.flatMap((id) => byId.get(id) ?? [null])
  }

  async function list(caller: Caller, data: Data, wanted: Wanted): Promise<Paged<ThreadRecord[]>> {
    const { organizationId, order = 'desc', pageSize = LIMITS.pageSizeMax, pageToken } = data
    const { key, documents, filters } = wanted
    const scope = ['threads.get', caller.apiKeyId, organizationId, documents, filterValues(filters), order]
    const token = pageTokens.decode(scope, pageToken)
    const after: string[] = token === null ? START[order] : JSON.parse(token)
    const scanned = isFiltered(filters)
      ? Math.floor(LIMITS.threadsExaminedPerPageMax / Math.max(1, documents?.length ?? 1))
      : pageSize + 1
    const { [order]: statement } = documents === null ? LIST_THREADS : LIST_THREADS_OF_DOCUMENTS
    const values = [key, documents, ...after, scanned, pageSize + 1, ...filterValues(filters)]
    const rows = await db.run(statement, values)
    const { page, last } = cutPage(rows, pageSize, ({ isScanEnd }) => isScanEnd)
    const threads = page.filter(({ matches }) => matches)
    return {
      data: await recordsOf(caller, organizationId, threads),
      ...(last && {
        nextPageToken: pageTokens.encode(
          scope,
          JSON.stringify([last.lastUpdated.toISOString(), last.annotationId, last.resourceKey]),
        ),
      }),
    }
  }

  return async (caller: Caller, data: Data): Promise<Page> => {
    const { organizationId, annotationIds, pageToken, groupByDocumentId = false } = data
    const agent = agentFilterOf(data, words)
    if (annotationIds !== undefined && pageToken !== undefined) throw oneOf('pageToken', 'annotationIds')
    const key = organizationKey(caller, organizationId)
    await requireOrganization(db, key)
    const documents = await documentsOf(key, data)
    const filters = { ...data, ...agent, folderKey: await folderOf(key, data) }
    const wanted = { key, documents, filters }
    const found =
      annotationIds === undefined ? await list(caller, data, wanted) : { data: await find(caller, data, wanted) }
    return groupByDocumentId ? { ...found, data: byDocument(found.data) } : found
  }
}

interface Wanted {
  key: OrganizationKey
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
