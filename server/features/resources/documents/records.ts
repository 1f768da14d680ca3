/** The API representation of documents: records and item results. */
import { failed, type ItemResult } from '#contract/core/envelope.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import type { DocumentRecordRow } from './read-statements.ts'

/** The `folderId` of documents at the top level of the organization; no folder can have this id. */
export const ROOT = 'root'

export const recordOf = (
  { id, name, metadata, disabled, accessType, inherits, folderId }: DocumentRecordRow,
  caller: Caller,
) => ({
  ...metadata,
  id,
  ...(name === null ? {} : { documentName: name }),
  disabled,
  accessType: accessType ?? caller.defaultAccessType,
  inheritAccessFromParent: inherits,
  ...(folderId === null ? {} : { folderId }),
})

/** The `id` that the API returns for a document. */
export const documentServiceId = (resourceKey: string): string => resourceKey.replaceAll('-', '')

/** Returns the result for an id without a document, with the new id if the document was migrated. */
export function missing(documentId: string, migratedTo: string | null): ItemResult {
  return migratedTo === null
    ? failed(documentId, 'not-found', 'The document does not exist.')
    : { ...failed(documentId, 'not-found', `The document was migrated to "${migratedTo}".`), migratedTo }
}
