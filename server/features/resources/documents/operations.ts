/** Adding documents and reading them (decisions C2, C3). */
import type { addDocuments, getDocuments } from '#contract/documents.ts'
import { type BatchResult, failed, type ItemResult } from '#contract/envelope.ts'
import type { OrganizationKey } from '#contract/ids.ts'
import { LIMITS } from '#contract/limits.ts'
import type { DataOf, ResultOf } from '#contract/operation.ts'
import type { Db } from '#platform/db/db.ts'
import type { PageTokens } from '#platform/page-token.ts'
import type { Caller } from '#tenancy/caller.ts'
import { organizationKey } from '#tenancy/keys.ts'
import { organizationWrites } from '#tenancy/organization-writes.ts'
import { folderDoesNotExist, organizationDoesNotExist } from '#tenancy/refusals.ts'
import {
  ADD_DOCUMENTS,
  type DocumentRecordRow,
  FIND_DOCUMENTS,
  FIND_FOLDER,
  LIST_DOCUMENTS,
  LIST_FOLDER_DOCUMENTS,
  type NewDocumentOutcome,
} from './statements.ts'

/** `folderId` of documents at the top of the organization. */
const ROOT = 'root'

export interface DocumentsDeps {
  db: Db
  pageTokens: PageTokens
}

export type Documents = ReturnType<typeof createDocuments>

type Page = { data: ResultOf<typeof getDocuments>; nextPageToken?: string }

export function createDocuments({ db, pageTokens }: DocumentsDeps) {
  const adding = organizationWrites(db, ADD_DOCUMENTS, { idempotent: false })

  async function find(caller: Caller, key: OrganizationKey, ids: string[]): Promise<Page['data']> {
    const rows = await db.runSet(
      FIND_DOCUMENTS,
      ids.map((documentId) => ({ organizationKey: key, documentId })),
    )
    return rows.map(({ documentId, found, migratedTo, ...row }) => {
      if (found) return recordOf(row, caller)
      const missing = failed(
        documentId,
        'not-found',
        migratedTo === null ? 'The document does not exist.' : `The document was migrated to "${migratedTo}".`,
      )
      return migratedTo === null ? missing : { ...missing, migratedTo }
    })
  }

  return {
    async add(caller: Caller, data: DataOf<typeof addDocuments>): Promise<BatchResult> {
      const { organizationId, createOrganization = false, folderId, createFolder = false, documents } = data
      const byId = new Map(documents.map((document) => [document.documentId, document]))
      const outcomes = await adding.run(
        [...byId.values()].map(({ documentId, documentName, accessType, ...metadata }) => ({
          organizationKey: organizationKey(caller, organizationId),
          apiKeyId: caller.apiKeyId,
          organizationId,
          createOrganization,
          documentId,
          name: documentName ?? null,
          metadata,
          accessType: accessType ?? null,
          folderId: folderId === undefined || folderId === ROOT ? null : folderId,
          createFolder,
          actor: caller.actor,
        })),
      )
      if (outcomes.some(({ outcome }) => outcome === 'organization_does_not_exist')) throw organizationDoesNotExist()
      if (outcomes.some(({ outcome }) => outcome === 'folder_does_not_exist')) throw folderDoesNotExist()
      return Object.fromEntries(outcomes.map((outcome) => [outcome.documentId, resultOf(outcome)]))
    },

    async get(caller: Caller, data: DataOf<typeof getDocuments>): Promise<Page> {
      const { organizationId, documentIds, folderId, pageSize = LIMITS.pageSizeMax, pageToken } = data
      const key = organizationKey(caller, organizationId)
      const [place] = await db.run(FIND_FOLDER, [key, folderId ?? null])
      if (!place?.organizationAdded) throw organizationDoesNotExist()
      if (folderId !== undefined && folderId !== ROOT && place.folderKey === null) throw folderDoesNotExist()
      if (documentIds !== undefined) return { data: await find(caller, key, [...new Set(documentIds)]) }
      const scope = ['documents.get', caller.apiKeyId, organizationId, folderId ?? null]
      const after = pageTokens.decode(scope, pageToken)
      const rows =
        folderId === undefined
          ? await db.run(LIST_DOCUMENTS, [key, after, pageSize + 1])
          : await db.run(LIST_FOLDER_DOCUMENTS, [key, after, pageSize + 1, place.folderKey])
      const page = rows.slice(0, pageSize)
      const last = page.at(-1)
      return {
        data: page.map((row) => recordOf(row, caller)),
        ...(rows.length > pageSize && last !== undefined ? { nextPageToken: pageTokens.encode(scope, last.id) } : {}),
      }
    },

    coalescers: [adding],
  }
}

function resultOf({ documentId, outcome, resourceKey }: NewDocumentOutcome): ItemResult {
  return outcome === 'ok'
    ? { success: true, id: resourceKey.replaceAll('-', ''), message: 'Document added successfully.' }
    : failed(documentId, 'already-exists', 'The document already exists.')
}

const recordOf = ({ id, name, metadata, disabled, accessType, folderId }: DocumentRecordRow, caller: Caller) => ({
  ...metadata,
  id,
  ...(name === null ? {} : { documentName: name }),
  disabled,
  accessType: accessType ?? caller.defaultAccessType,
  ...(folderId === null ? {} : { folderId }),
})
