/** A folder or a document as a row of a table. */
import type { AccessType, DocumentRecord, FolderRecord } from '#sdk/generated/operations.ts'
import { plural } from '../../plural.ts'
import { ROOT } from '../../queries/resources/folders.ts'
import type { OwnAccessType, Resources } from '../../queries/resources/resources.ts'
import { shownName as shownNameOf } from '../../shown-name.ts'
import { type Fields, fieldsOf } from './resource-fields.tsx'

export interface Resource {
  type: 'folder' | 'document'
  id: string
  name: string | undefined
  fields: Fields
  /** The parent folder, or `root`. */
  parentId: string
  /** The access type in effect. */
  accessType: AccessType
  /** Null when inherited. */
  ownAccessType: OwnAccessType
  disabled: boolean
}

export const folderResource = (record: FolderRecord): Resource => ({
  type: 'folder',
  id: record.folderId,
  name: record.folderName,
  fields: fieldsOf('folder', record),
  parentId: record.parentFolderId,
  accessType: record.accessType,
  ownAccessType: record.inheritAccessFromParent ? null : record.accessType,
  disabled: false,
})

export const documentResource = (record: DocumentRecord): Resource => ({
  type: 'document',
  id: record.id,
  name: record.documentName,
  fields: fieldsOf('document', record),
  parentId: record.folderId ?? ROOT,
  accessType: record.accessType,
  ownAccessType: record.inheritAccessFromParent ? null : record.accessType,
  disabled: record.disabled,
})

/** Returns the same resource for the same record, so that unchanged rows are not rendered again. */
export function memoized<Record extends object>(
  resourceOf: (record: Record) => Resource,
): (record: Record) => Resource {
  const known = new WeakMap<Record, Resource>()
  return (record) => {
    const before = known.get(record)
    if (before !== undefined) return before
    const resource = resourceOf(record)
    known.set(record, resource)
    return resource
  }
}

/** The operations of each action on folders and documents. */
export function neededFor(resources: readonly Pick<Resource, 'type'>[]) {
  const types = [...new Set(resources.map(({ type }) => type))]
  return {
    edit: types.map((type) => `${type}s.update` as const),
    move: types.map((type) => (type === 'folder' ? 'folders.update' : 'documents.move')),
    access: types.map((type) => `${type}-access.set` as const),
    disable: 'documents.disable',
    delete: types.map((type) => `${type}s.delete` as const),
  } as const
}

/** Includes the type, because a folder and a document can have the same id. */
export const rowIdOf = ({ type, id }: Pick<Resource, 'type' | 'id'>): string => `${type} ${id}`

export const shownName = ({ name, id }: { name?: string | undefined; id: string }): string => shownNameOf(name, id)

/** The name of a row, with the type because a folder and a document can have the same name. */
export const rowNameOf = ({ type, name, id }: Pick<Resource, 'type' | 'name' | 'id'>): string =>
  `${type} ${shownNameOf(name, id)}`

export const idsOf = (organizationId: string, resources: readonly Resource[]): Resources => ({
  organizationId,
  folderIds: resources.filter(({ type }) => type === 'folder').map(({ id }) => id),
  documentIds: resources.filter(({ type }) => type === 'document').map(({ id }) => id),
})

/** `2 folders and 1 document` */
export function counted(folders: number, documents: number): string {
  const parts = [
    ...(folders === 0 ? [] : [plural(folders, 'folder')]),
    ...(documents === 0 && folders > 0 ? [] : [plural(documents, 'document')]),
  ]
  return parts.join(' and ')
}

/** Returns the name of a single resource, or the counts of several. */
export function describeResources(resources: readonly Resource[]): string {
  const [first, ...others] = resources
  if (first !== undefined && others.length === 0) return `“${shownName(first)}”`
  const { folderIds, documentIds } = idsOf('', resources)
  return counted(folderIds.length, documentIds.length)
}

/** Groups resources by their previous value, so that a change can be undone. */
export function groupByPrevious<Value>(
  resources: readonly Resource[],
  previousValue: (resource: Resource) => Value,
): [Value, Resource[]][] {
  return [...Map.groupBy(resources, previousValue)]
}
