/** The API representation of folders: records, trees of records, and the errors that adding and moving share. */
import { failed, type ItemResult } from '#contract/core/envelope.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { FolderRecord } from '#contract/resources/folders.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import type { FolderRecordRow } from './statements.ts'

/** The `parentFolderId` of folders at the top level; no folder can have this id. */
export const ROOT = 'root'

export const recordOf = (row: FolderRecordRow, caller: Caller, organizationId: string): FolderRecord => ({
  folderId: row.id,
  ...row.fields,
  organizationId,
  parentFolderId: row.ancestors.at(-1) ?? ROOT,
  apiKey: caller.apiKeyId,
  createdAt: row.createdAt.getTime(),
  lastUpdated: (row.updatedAt ?? row.createdAt).getTime(),
  ancestors: [ROOT, ...row.ancestors],
  accessType: row.accessType ?? caller.defaultAccessType,
  inheritAccessFromParent: row.inherits,
})

/** Nests records, given parents before children, in the first one. Returns undefined without records. */
export function nested(records: readonly FolderRecord[]): FolderRecord | undefined {
  const seen = new Map<string, FolderRecord>()
  for (const record of records) {
    const parent = seen.get(record.parentFolderId)
    if (parent !== undefined) {
      parent.subFolders ??= []
      parent.subFolders.push(record)
    }
    seen.set(record.folderId, record)
  }
  return records[0]
}

export const insideItself = (id: string): ItemResult =>
  failed(
    id,
    'invalid-argument',
    id === ROOT
      ? '"root" is the top level of the organization and cannot be a folder.'
      : 'The folder would be inside itself.',
  )

export const tooDeep = (id: string): ItemResult =>
  failed(id, 'invalid-argument', `Folders can be nested at most ${LIMITS.folderDepthMax} levels deep.`)
