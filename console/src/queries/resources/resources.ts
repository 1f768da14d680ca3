/** Mutations of folders and documents, for many of both kinds in one go. */
import { mutationOptions } from '@tanstack/react-query'
import type {
  AccessType,
  AddDocumentsData,
  AddFoldersData,
  BatchResult,
  DisableDocumentsData,
} from '#sdk/generated/operations.ts'
import type { Key } from '../../session/session.ts'
import { refetchingAll } from '../keys/keys.ts'
import { inBatches, throwIfRefused } from '../pages/batch.ts'
import { countDeleted, deleteOne } from '../pages/deletion.ts'

export interface Resources {
  organizationId: string
  folderIds: readonly string[]
  documentIds: readonly string[]
}

/** Null when the access type is inherited. */
export type OwnAccessType = AccessType | null

export const addFolders = (key: Key) =>
  mutationOptions({
    mutationFn: async (data: AddFoldersData) => throwIfRefused(await key.client.folders.add(data)),
    meta: refetchingAll(key),
  })

export const addDocuments = (key: Key) =>
  mutationOptions({
    mutationFn: async (data: AddDocumentsData) => throwIfRefused(await key.client.documents.add(data)),
    meta: refetchingAll(key),
  })

interface Update {
  organizationId: string
  type: 'folder' | 'document'
  id: string
  /** The new values; null clears a field. */
  fields: object
}

export const updateResource = (key: Key) =>
  mutationOptions({
    mutationFn: async ({ organizationId, type, id, fields }: Update) =>
      throwIfRefused(
        type === 'folder'
          ? await key.client.folders.update({ organizationId, folders: [{ folderId: id, ...fields }] })
          : await key.client.documents.update({ organizationId, documents: [{ documentId: id, ...fields }] }),
      ),
    meta: refetchingAll(key),
  })

/** `to` is a folder id, or `root` for the top level. */
export const moveResources = (key: Key) =>
  mutationOptions({
    mutationFn: async ({ organizationId, folderIds, documentIds, to }: Resources & { to: string }) =>
      throwIfAnyRefused(
        await inBatches(folderIds, (some) =>
          key.client.folders.update({
            organizationId,
            folders: some.map((folderId) => ({ folderId, parentFolderId: to })),
          }),
        ),
        await inBatches(documentIds, (some) =>
          key.client.documents.move({ organizationId, documentIds: some, folderId: to }),
        ),
      ),
    meta: refetchingAll(key),
  })

export const setResourceAccess = (key: Key) =>
  mutationOptions({
    mutationFn: async (data: Resources & { accessType: OwnAccessType }) => {
      const { organizationId, folderIds, documentIds, accessType } = data
      const own = accessType === null ? { inheritFromParent: true } : { accessType }
      return throwIfAnyRefused(
        await inBatches(folderIds, (some) => key.client.folderAccess.set({ organizationId, folderIds: some, ...own })),
        await inBatches(documentIds, (some) =>
          key.client.documentAccess.set({ organizationId, documentIds: some, ...own }),
        ),
      )
    },
    meta: refetchingAll(key),
  })

/** Folders cannot be disabled. */
export const disableDocuments = (key: Key) =>
  mutationOptions({
    mutationFn: async ({ documentIds, ...data }: DisableDocumentsData) =>
      throwIfRefused(
        await inBatches(documentIds, (some) => key.client.documents.disable({ ...data, documentIds: some })),
      ),
    meta: refetchingAll(key),
  })

/** Resolves to the number of deleted folders and documents, contents included. Those that are gone already do not count. */
export const deleteResources = (key: Key) =>
  mutationOptions({
    mutationFn: async ({ organizationId, folderIds, documentIds }: Resources) => {
      const gone = { folders: 0, documents: 0 }
      const deleteDocuments = (some: string[]) => key.client.documents.delete({ organizationId, documentIds: some })
      await deleteOne(async () => {
        gone.documents = countDeleted(await inBatches(documentIds, deleteDocuments))
      })
      for (const folderId of folderIds)
        await deleteOne(async () => {
          const { deleted } = await key.client.folders.delete({ organizationId, folderId })
          gone.folders += deleted.folders
          gone.documents += deleted.documents
        })
      return gone
    },
    meta: refetchingAll(key),
  })

/** Throws when an item was refused. A folder and a document can have the same id, so the type is part of the key. */
function throwIfAnyRefused(folders: BatchResult, documents: BatchResult): void {
  const named = (results: BatchResult, type: string) =>
    Object.entries(results).map(([id, result]) => [`${type} ${id}`, result] as const)
  throwIfRefused(Object.fromEntries([...named(folders, 'Folder'), ...named(documents, 'Document')]))
}
