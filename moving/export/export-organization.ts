/** Makes the records of an organization and everything in it for an export. */
import type { FolderInput } from '#contract/resources/folders.ts'
import type { Client } from '#sdk/client.ts'
import type { GetFoldersResult, OrganizationRecord } from '#sdk/generated/operations.ts'
import type { CallOptions } from '#sdk/options.ts'
import { type DataRecord, fieldsOf } from '../files/records.ts'
import { grantRecords, invitationRecords } from './export-access.ts'
import { commentRecords } from './export-comments.ts'
import { exportUserGroups } from './export-user-groups.ts'
import { type Portions, portions, prefetch } from './pages.ts'

/** Small enough for several pages of documents with much metadata to fit in memory. */
const DOCUMENTS_PER_PAGE = 250

/** Yields an organization and everything in it; a record follows the records that it depends on. The lists are fetched concurrently. */
export function organizationRecords(
  client: Client,
  organization: OrganizationRecord,
  options: CallOptions,
): Portions<DataRecord> {
  const { id: organizationId, organizationName, disabled, ...metadata } = organization
  const query = { organizationId }
  const folderPages = () => portions(client.folders.get.pages(query, options), (data) => data)
  const folders = prefetch(parentsFirst(folderPages))
  const documents = prefetch(
    portions(client.documents.get.pages({ ...query, pageSize: DOCUMENTS_PER_PAGE }, options), (data) => data),
  )
  const grants = prefetch(portions(client.grants.list.pages(query, options), (data) => data.grants))
  const userGroups = exportUserGroups(client, organizationId, options)
  const comments = commentRecords(client, organizationId, options)

  async function* records(): Portions<DataRecord> {
    yield [
      {
        record: 'organization',
        organizationId,
        ...(organizationName === undefined ? {} : { organizationName }),
        ...(disabled ? { disabled } : {}),
        ...unlessEmpty({ metadata }),
      },
    ]
    for await (const portion of folders) yield portion.map((folder) => folderRecord(organizationId, folder))
    for await (const portion of documents) yield portion.map((document) => documentRecord(organizationId, document))
    yield* userGroups.groups()
    yield* userGroups.withGroups(grantRecords(organizationId, grants))
    yield* userGroups.members()
    yield* invitationRecords(client, organizationId, options)
    yield* comments
  }
  return records()
}

/** Returns a folder with the fields that `folders.add` takes, so that a new field is exported without being named here. */
function folderRecord(organizationId: string, folder: Folder): DataRecord {
  const names = fieldsOf('folder')
  const given = Object.entries(folder).filter(([name]) => names.includes(name))
  const { parentFolderId, accessType, ...fields } = Object.fromEntries(given) as FolderInput
  return {
    record: 'folder',
    organizationId,
    ...fields,
    ...(parentFolderId === 'root' ? {} : { parentFolderId }),
    ...(folder.inheritAccessFromParent ? {} : { accessType }),
  }
}

function documentRecord(organizationId: string, document: Document): DataRecord {
  const { id, documentName, folderId, accessType, inheritAccessFromParent, disabled, ...metadata } = document
  return {
    record: 'document',
    organizationId,
    documentId: id,
    ...(documentName === undefined ? {} : { documentName }),
    ...(inheritAccessFromParent ? {} : { accessType }),
    ...(folderId === undefined ? {} : { folderId }),
    ...(disabled ? { disabled } : {}),
    ...unlessEmpty({ metadata }),
  }
}

type Document = Extract<Awaited<ReturnType<Client['documents']['get']>>[number], { disabled: boolean }>

type Folder = GetFoldersResult[number]

/**
 * Yields parents before children, in bounded memory: the list, which is ordered by id, is read once per level. A list of
 * one page is read once and sorted.
 */
async function* parentsFirst(list: () => Portions<Folder>): Portions<Folder> {
  const first = list()
  const { value: page, done } = await first.next()
  if (done === true) return
  const second = await first.next()
  if (second.done === true) {
    yield page.toSorted((one, other) => one.ancestors.length - other.ancestors.length)
    return
  }
  await first.return()
  let deepest = 1
  for (let depth = 1; depth <= deepest; depth++)
    for await (const portion of list()) {
      for (const { ancestors } of portion) deepest = Math.max(deepest, ancestors.length)
      yield portion.filter(({ ancestors }) => ancestors.length === depth)
    }
}

/** Omits a field whose value is an empty object. */
export function unlessEmpty<Open extends Record<string, object>>(open: Open): Partial<Open> {
  return Object.values(open).every((value) => Object.keys(value).length === 0) ? {} : open
}
