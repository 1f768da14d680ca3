/** Converts organizations, folders and documents. */
import { ROOT } from '#contract/access/permissions.ts'
import { FOLDER_FIELDS, FolderInput } from '#contract/resources/folders.ts'
import type { Answer } from './lines.ts'
import { Organization } from './organization.ts'
import { given, type Item, isNumberedId, type Output, objectOf } from './output.ts'

/** Whether documents in folders keep an access type of their own, or follow their folder. */
export const DOCUMENT_ACCESS = ['own', 'folder'] as const
export type DocumentAccess = (typeof DOCUMENT_ACCESS)[number]

const field = (name: string, value: unknown): Item => (value === undefined ? {} : { [name]: value })
const fields = (names: readonly string[], item: Item): Item =>
  Object.assign({}, ...names.map((name) => field(name, given(item[name]))))
const unlessEmpty = (metadata: Item): Item => (Object.keys(metadata).length === 0 ? {} : { metadata })

/** Returns the organization, in which nothing is moved if it cannot be moved itself. */
export function convertOrganization({ line, path, item }: Answer, output: Output): Organization | undefined {
  const found = objectOf(item, line, path, output)
  if (found === undefined) return undefined
  const { id, organizationName, disabled, ...metadata } = found
  const what = `organization ${id}`
  if (isNumberedId(id, 'organizationId', line, what, output)) return new Organization(String(id), { isMoved: false })
  if (organizationName === '')
    output.change(line, what, 'empty_name', 'its empty name is left out: a name has at least one character')
  const isMoved = output.add(line, what, {
    record: 'organization',
    organizationId: id,
    ...field('organizationName', given(organizationName)),
    ...(disabled === true ? { disabled } : {}),
    ...unlessEmpty(metadata),
  })
  return new Organization(String(id), { isMoved, isDisabled: disabled === true })
}

/** A folder that was read, until all folders of its organization were. */
export interface ReadFolder {
  line: number
  item: Item
}

/** Converts the folders of an organization, parents before children. */
export function convertFolders(read: readonly ReadFolder[], organization: Organization, output: Output): void {
  const byId = new Map(read.map((one) => [String(one.item.folderId), one]))
  const begun = new Set<string>()
  const add = (id: string, one: ReadFolder): void => {
    if (begun.has(id)) return
    begun.add(id)
    const parentId = parentOf(one.item)
    const parent = parentId === undefined ? undefined : byId.get(parentId)
    if (parent !== undefined) add(String(parentId), parent)
    convertFolder(one, parentId, organization, output)
  }
  for (const [id, one] of byId) add(id, one)
}

function parentOf({ parentFolderId }: Item): string | undefined {
  const id = given(parentFolderId)
  return id === undefined || id === ROOT ? undefined : String(id)
}

/** The fields that `folders/get` returns in addition to those of a folder; no caller sets them. */
const COMPUTED = ['organizationId', 'apiKey', 'ancestors', 'subFolders', 'inheritAccessFromParent']
const TIMES = ['createdAt', 'lastUpdated']
const FIELDS = [...Object.keys(FolderInput.properties), ...COMPUTED, ...TIMES]

function convertFolder(
  { line, item }: ReadFolder,
  parentFolderId: string | undefined,
  organization: Organization,
  output: Output,
): void {
  const { folderId, accessType, inheritAccessFromParent } = item
  const what = `folder ${organization.id}/${folderId}`
  if (isNumberedId(folderId, 'folderId', line, what, output)) return
  if (parentFolderId !== undefined && !organization.folders.has(parentFolderId)) {
    output.refuse(line, what, 'parent_not_moved', `its parent folder ${parentFolderId} is refused or not in the file`)
    return
  }
  if (TIMES.some((name) => item[name] !== undefined))
    output.once('leftOut', line, what, 'folder_times', 'createdAt and lastUpdated of folders begin with the move')
  for (const name of Object.keys(item).filter((name) => !FIELDS.includes(name)))
    output.leaveOut(line, what, 'folder_metadata', `${name}: a folder has no fields of your own here`)
  const isMoved = output.add(line, what, {
    record: 'folder',
    organizationId: organization.id,
    folderId,
    ...fields(Object.keys(FOLDER_FIELDS), item),
    ...field('parentFolderId', parentFolderId),
    ...(inheritAccessFromParent === true ? {} : field('accessType', given(accessType))),
  })
  if (isMoved) organization.folders.set(String(folderId), { parentFolderId, accessType: given(accessType) })
}

const OPENNESS: readonly unknown[] = ['restricted', 'organizationPrivate', 'public']

export function convertDocument(
  { line, path, within, item }: Answer,
  organization: Organization,
  access: DocumentAccess,
  output: Output,
): void {
  const found = objectOf(item, line, path, output)
  if (found === undefined) return
  const { id, documentId, documentName, disabled, accessType, inheritAccessFromParent, folderId, ...metadata } = found
  const what = `document ${organization.id}/${id}`
  if (isNumberedId(id, 'documentId', line, what, output)) return
  const inFolder = given(folderId) ?? within.folderId
  const folder = inFolder === undefined ? undefined : organization.folders.get(String(inFolder))
  if (inFolder !== undefined && folder === undefined) {
    output.refuse(line, what, 'parent_not_moved', `its folder ${inFolder} is refused or not in the file`)
    return
  }
  if (documentName === '')
    output.change(line, what, 'empty_name', 'its empty name is left out: a name has at least one character')
  const own = inheritAccessFromParent === true ? undefined : given(accessType)
  const differs = folder !== undefined && own !== undefined && own !== folder.accessType
  const follows = folder !== undefined && (!differs || access === 'folder')
  const isMoved = output.add(line, what, {
    record: 'document',
    organizationId: organization.id,
    documentId: id,
    ...field('documentName', given(documentName)),
    ...(follows ? {} : field('accessType', own)),
    ...field('folderId', inFolder),
    ...(disabled === true ? { disabled } : {}),
    ...unlessEmpty(documentId === undefined || documentId === id ? metadata : { ...metadata, documentId }),
  })
  if (!isMoved) return
  organization.documents.set(String(id), {
    folderId: inFolder === undefined ? undefined : String(inFolder),
    isDisabled: disabled === true,
  })
  if (differs) output.change(line, what, ...(follows ? followsFolder(own) : decidesByItself(own, folder.accessType)))
}

const followsFolder = (own: unknown): [reason: string, message: string] => [
  'access_type_left_to_folder',
  `its own access type, ${own}, is left out: it follows its folder, as you chose`,
]

function decidesByItself(own: unknown, ofFolder: unknown): [reason: string, message: string] {
  const opens = OPENNESS.indexOf(own) > OPENNESS.indexOf(ofFolder)
  const effect = opens ? 'more users may have access to it than now' : 'fewer users may have access to it than now'
  return [
    'access_type_of_its_own',
    `permissions/get of a hosted service reports the access type of the folder, ${ofFolder}; Commonhold reports the document's own, ${own}, and decides by it: ${effect}. --document-access folder lets it follow its folder`,
  ]
}
