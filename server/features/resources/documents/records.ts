/** Documents as callers see them: records, and the results of single items. */
import { failed, type ItemResult } from '#contract/envelope.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import type { DocumentRecordRow } from './statements.ts'

/** `folderId` of documents at the top of the organization; no folder can have it as its id. */
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

/** An id that no document has; with the one that it answers under now when it was migrated. */
export function missing(documentId: string, migratedTo: string | null): ItemResult {
  return migratedTo === null
    ? failed(documentId, 'not-found', 'The document does not exist.')
    : { ...failed(documentId, 'not-found', `The document was migrated to "${migratedTo}".`), migratedTo }
}
