/**
 * Adds, reads and counts documents (rules/resources.md#adding, rules/resources.md#unknown-ids). `changes.ts`
 * updates and deletes them.
 */

import { type BatchResult, failed, type ItemResult } from '#contract/core/envelope.ts'
import type { OrganizationKey } from '#contract/core/ids.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { DataOf, ResultOf } from '#contract/core/operation.ts'
import {
  type addDocuments,
  type countDocuments,
  DocumentInput,
  type getDocuments,
} from '#contract/resources/documents.ts'
import type { HandlerResult } from '#http/responses/respond.ts'
import type { Db } from '#platform/db/db.ts'
import { cutPage, type Paged, type PageTokens } from '#platform/secrets/page-token.ts'
import { invalidArgument } from '#platform/status-error.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { organizationKey } from '#tenancy/callers/keys.ts'
import { metadataOf } from '#tenancy/metadata.ts'
import { scopeOf } from '#tenancy/name-order.ts'
import { assertComplete } from '#tenancy/page-bytes.ts'
import { publicWarnings } from '#tenancy/public-access.ts'
import { folderDoesNotExist, organizationDoesNotExist } from '#tenancy/refusals.ts'
import { organizationWrites, type RequestRow } from '#tenancy/writes/coalesced.ts'
import { createDocumentChanges } from './changes.ts'
import { conditionsOf } from './filters.ts'
import { type PageOfDocuments, readPage, readPageByName } from './page.ts'
import {
  COUNT_DOCUMENTS,
  COUNT_FOLDER_DOCUMENTS,
  COUNT_TOP_DOCUMENTS,
  FIND_DOCUMENTS,
  FIND_FOLDER,
} from './read-statements.ts'
import { documentServiceId, missing, ROOT, recordOf } from './records.ts'
import { ADD_DOCUMENTS, type NewDocumentOutcome, type NewDocumentRow } from './statements.ts'

export interface DocumentsDeps {
  db: Db
  pageTokens: PageTokens
}

type Page = Paged<ResultOf<typeof getDocuments>>

export function createDocuments({ db, pageTokens }: DocumentsDeps) {
  const additions = organizationWrites(db, ADD_DOCUMENTS, { idempotent: false, roundsOf: roundOfExisting })

  async function add(caller: Caller, data: DataOf<typeof addDocuments>): Promise<HandlerResult<BatchResult>> {
    const { organizationId, createOrganization = false, folderId, createFolder = false, documents } = data
    const byId = new Map(documents.map((document) => [document.documentId, document]))
    const key = organizationKey(caller, organizationId)
    const outcomes = await additions.run(
      [...byId.values()].map((document) => ({
        organizationKey: key,
        apiKeyId: caller.apiKeyId,
        organizationId,
        createOrganization,
        documentId: document.documentId,
        name: document.documentName ?? null,
        metadata: metadataOf(document, RECORD_FIELDS),
        accessType: document.accessType ?? null,
        disabled: document.disabled ?? false,
        folderId: folderId === undefined || folderId === ROOT ? null : folderId,
        createFolder,
        isLocked: true,
        actor: caller.actor,
      })),
      caller.apiKeyId,
    )
    if (outcomes.some(({ outcome }) => outcome === 'organization_does_not_exist')) throw organizationDoesNotExist()
    if (outcomes.some(({ outcome }) => outcome === 'folder_does_not_exist')) throw folderDoesNotExist()
    const added = outcomes.filter(({ outcome }) => outcome === 'ok')
    return {
      data: Object.fromEntries(outcomes.map((outcome) => [outcome.documentId, resultOf(outcome)])),
      ...publicWarnings(
        caller,
        added.map(({ documentId: id, access }) => ({ access, resource: { type: 'document', id, organizationId } })),
      ),
    }
  }

  /** Returns the keys of the organization and folder of a read. Throws if either does not exist. */
  async function findFolder(
    caller: Caller,
    { organizationId, folderId }: { organizationId: string; folderId?: string },
  ) {
    const key = organizationKey(caller, organizationId)
    const [found] = await db.run(FIND_FOLDER, [key, folderId ?? null])
    if (!found?.organizationAdded) throw organizationDoesNotExist()
    if (folderId !== undefined && folderId !== ROOT && found.folderKey === null) throw folderDoesNotExist()
    return { key, folderKey: found.folderKey }
  }

  async function get(caller: Caller, data: DataOf<typeof getDocuments>): Promise<Page> {
    const { organizationId, documentIds, folderId, filters, orderBy = 'id' } = data
    const { pageSize = LIMITS.pageSizeMax, pageToken } = data
    if (documentIds !== undefined && filters !== undefined) throw idsOrFilters()
    const { key, folderKey } = await findFolder(caller, data)
    if (documentIds !== undefined) return { data: await find(caller, key, [...new Set(documentIds)], folderId) }
    const conditions = conditionsOf(filters)
    const scope = [
      'documents.get',
      caller.apiKeyId,
      organizationId,
      folderId ?? null,
      conditions?.all ?? null,
      ...scopeOf(orderBy),
    ]
    const after = pageTokens.decode(scope, pageToken)
    const place: PageOfDocuments['place'] = folderId === undefined ? 'all' : folderKey === null ? 'top' : { folderKey }
    const wanted = { key, place, conditions, after, pageSize }
    if (orderBy !== 'id') {
      if (place === 'all') throw orderNeedsFolder()
      const rows = await readPageByName(db, { ...wanted, place }, orderBy)
      const { page, last } = cutPage(rows, pageSize, ({ isScanEnd }) => isScanEnd)
      return {
        data: page.filter(({ matches }) => matches).map((row) => recordOf(row, caller)),
        ...(last && { nextPageToken: pageTokens.encode(scope, last.position) }),
      }
    }
    const rows = await readPage(db, wanted)
    const { page, last } = cutPage(rows, pageSize, ({ isScanEnd }) => isScanEnd)
    return {
      data: page.filter(({ matches }) => matches).map((row) => recordOf(row, caller)),
      ...(last && { nextPageToken: pageTokens.encode(scope, last.id) }),
    }
  }

  async function find(
    caller: Caller,
    key: OrganizationKey,
    ids: readonly string[],
    folderId: string | undefined,
  ): Promise<Page['data']> {
    const rows = await db.runSet(
      FIND_DOCUMENTS,
      ids.map((documentId) => ({ organizationKey: key, documentId })),
    )
    assertComplete(rows)
    return rows.map(({ documentId, found, migratedTo, ...row }) =>
      found && (folderId === undefined || folderId === (row.folderId ?? ROOT))
        ? recordOf(row, caller)
        : missing(documentId, migratedTo),
    )
  }

  async function count(caller: Caller, data: DataOf<typeof countDocuments>): Promise<ResultOf<typeof countDocuments>> {
    const { organizationId, excludeFolderDocs = false, filters } = data
    if (excludeFolderDocs) assertOnlyTop(data)
    const folderId = excludeFolderDocs ? ROOT : data.folderId
    const { key, folderKey } = await findFolder(caller, { organizationId, ...(folderId && { folderId }) })
    const values = [key, conditionsOf(filters)?.all ?? null]
    const [counted] =
      folderId === undefined
        ? await db.run(COUNT_DOCUMENTS, values)
        : folderKey === null
          ? await db.run(COUNT_TOP_DOCUMENTS, values)
          : await db.run(COUNT_FOLDER_DOCUMENTS, [...values, folderKey])
    return { count: counted?.count ?? 0, ...(filters && { filtersApplied: true }) }
  }

  return { add, get, count, ...createDocumentChanges(db), coalescers: [additions] }
}

/** The only round of a run that creates no organization: the change need not wait for the result of the lock, which it reads itself. */
const roundOfExisting = (rows: readonly (NewDocumentRow & RequestRow)[]) =>
  rows.some(({ createOrganization }) => createOrganization)
    ? undefined
    : [rows.map((row) => ({ ...row, isLocked: false }))]

const RECORD_FIELDS = Object.keys(DocumentInput.properties)

function resultOf({ documentId, outcome, resourceKey }: NewDocumentOutcome): ItemResult {
  return outcome === 'ok'
    ? { success: true, id: documentServiceId(resourceKey), message: 'Document added successfully.' }
    : failed(documentId, 'already-exists', 'The document already exists.')
}

function assertOnlyTop({ folderId = ROOT, filters }: DataOf<typeof countDocuments>): void {
  const refused = (field: string, rule: string) =>
    invalidArgument([{ field, message: `${field} must not be given together with excludeFolderDocs: true${rule}` }])
  if (filters !== undefined) throw refused('filters', '; give folderId: "root" instead of that')
  if (folderId !== ROOT) throw refused('folderId', ', which counts only documents that are in no folder')
}

const orderNeedsFolder = () =>
  invalidArgument([{ field: 'orderBy', message: 'orderBy by name requires folderId; "root" is the top level' }])

const idsOrFilters = () =>
  invalidArgument([{ field: 'filters', message: 'filters must not be given together with documentIds' }])
