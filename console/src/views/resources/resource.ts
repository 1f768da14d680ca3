/** A folder or a document, as rows of a table. */
import type { AccessType, DocumentRecord, FolderRecord } from '#sdk/generated/operations.ts'
import { ROOT } from '../../queries/folders.ts'
import type { OwnAccessType, Resources } from '../../queries/resources.ts'

export interface Resource {
  type: 'folder' | 'document'
  id: string
  name: string | undefined
  /** The folder that it is in, or `root`. */
  parentId: string
  /** The effective one. */
  accessType: AccessType
  /** Null: it follows what it is in. */
  ownAccessType: OwnAccessType
  disabled: boolean
}

export const folderResource = (record: FolderRecord): Resource => ({
  type: 'folder',
  id: record.folderId,
  name: record.folderName,
  parentId: record.parentFolderId,
  accessType: record.accessType,
  ownAccessType: record.inheritAccessFromParent ? null : record.accessType,
  disabled: false,
})

export const documentResource = (record: DocumentRecord): Resource => ({
  type: 'document',
  id: record.id,
  name: record.documentName,
  parentId: record.folderId ?? ROOT,
  accessType: record.accessType,
  ownAccessType: record.inheritAccessFromParent ? null : record.accessType,
  disabled: record.disabled,
})

/** A folder and a document may have the same id. */
export const rowIdOf = ({ type, id }: Pick<Resource, 'type' | 'id'>): string => `${type} ${id}`

export const shownName = ({ name, id }: { name?: string | undefined; id: string }): string => name ?? id

export const idsOf = (organizationId: string, resources: readonly Resource[]): Resources => ({
  organizationId,
  folderIds: resources.filter(({ type }) => type === 'folder').map(({ id }) => id),
  documentIds: resources.filter(({ type }) => type === 'document').map(({ id }) => id),
})

const plural = (count: number, one: string): string => `${count.toLocaleString()} ${count === 1 ? one : `${one}s`}`

/** `2 folders and 1 document` */
export function counted(folders: number, documents: number): string {
  const parts = [
    ...(folders === 0 ? [] : [plural(folders, 'folder')]),
    ...(documents === 0 && folders > 0 ? [] : [plural(documents, 'document')]),
  ]
  return parts.join(' and ')
}

/** The name of the only one, or how many there are. */
export function told(resources: readonly Resource[]): string {
  const [first, ...others] = resources
  if (first !== undefined && others.length === 0) return `“${shownName(first)}”`
  const { folderIds, documentIds } = idsOf('', resources)
  return counted(folderIds.length, documentIds.length)
}

/** By what they had before a change, so that it can be undone. */
export function grouped<Value>(
  resources: readonly Resource[],
  formerly: (resource: Resource) => Value,
): [Value, Resource[]][] {
  return [...Map.groupBy(resources, formerly)]
}
