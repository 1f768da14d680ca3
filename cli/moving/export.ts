/**
 * Writes the data set of an API key as lines that `import` reads back, in one order and one way of writing: data sets
 * that are equal make files that are equal, byte for byte. Pages go out as they come in; the slower side sets the pace.
 */
import type { FolderInput } from '#contract/folders.ts'
import type { Client, WorkspaceClient } from '#sdk/client.ts'
import type { GetFoldersResult, GetOrganizationsResult } from '#sdk/generated/operations.ts'
import type { CallOptions } from '#sdk/options.ts'
import { MovingFailure } from './failure.ts'
import { ahead, type Portions, portions } from './pages.ts'
import { FIRST_CALL, PATIENT } from './patience.ts'
import { type DataRecord, type ExportRecord, FORMAT, fieldsOf, lineOf } from './records.ts'

export interface Exported {
  records: number
  bytes: number
}

export interface ExportOptions {
  /** Takes what is written; resolves when it may be given more. */
  write: (text: string) => Promise<void>
  onProgress?: (soFar: Exported) => void
  signal?: AbortSignal
}

/** Organizations whose first pages are asked for before it is their turn. */
const ORGANIZATIONS_AHEAD = 4

/** Documents can have much metadata: so many fit into memory several times. */
const DOCUMENTS_PER_PAGE = 250

export async function exportKey(client: Client, options: ExportOptions): Promise<Exported> {
  const out = writer(options)
  await out.write([{ record: 'export', format: FORMAT, of: 'apiKey' }])
  await exportDataSet(client, out.write, options.signal)
  return out.end()
}

/** Every API key of a workspace, in the order of their names. `clientOf` answers a client for one of them. */
export async function exportWorkspace(
  workspace: WorkspaceClient,
  clientOf: (apiKey: string) => Promise<Client>,
  options: ExportOptions,
): Promise<Exported> {
  const keys = []
  for await (const { data } of workspace.apiKeys.get.pages({}, callOptions(options.signal))) keys.push(...data)
  keys.sort((one, other) => (one.apiKeyName < other.apiKeyName ? -1 : 1))
  for (const [index, { apiKeyName, disabled }] of keys.entries()) {
    if (keys[index + 1]?.apiKeyName === apiKeyName)
      throw new MovingFailure(
        `Two API keys of the workspace are called “${apiKeyName}”.`,
        'Rename one of them: import finds keys by their names.',
      )
    if (disabled)
      throw new MovingFailure(
        `The API key “${apiKeyName}” is disabled: its data cannot be read.`,
        'Enable it for the time of the export.',
      )
  }
  const out = writer(options)
  await out.write([{ record: 'export', format: FORMAT, of: 'workspace' }])
  for (const { id, apiKeyName, type } of keys) {
    await out.write([{ record: 'apiKey', apiKeyName, type }])
    await exportDataSet(await clientOf(id), out.write, options.signal)
  }
  return out.end()
}

function writer({ write, onProgress, signal }: ExportOptions) {
  const soFar = { records: 0, bytes: 0 }
  async function put(records: readonly ExportRecord[]): Promise<void> {
    signal?.throwIfAborted()
    if (records.length === 0) return
    const text = records.map(lineOf).join('')
    await write(text)
    soFar.records += records.filter(({ record }) => record !== 'export' && record !== 'end').length
    soFar.bytes += Buffer.byteLength(text)
    onProgress?.({ ...soFar })
  }
  return {
    write: put,
    async end(): Promise<Exported> {
      await put([{ record: 'end', records: soFar.records }])
      return soFar
    },
  }
}

type Write = (records: readonly ExportRecord[]) => Promise<void>

const callOptions = (signal: AbortSignal | undefined): CallOptions => ({ ...PATIENT, ...(signal && { signal }) })

/**
 * First what decides who gets in, so that nothing stands open while it is imported. Whether grants must name what is there
 * comes last: it would refuse those on declared resources.
 */
async function exportDataSet(client: Client, write: Write, signal: AbortSignal | undefined): Promise<void> {
  const options = callOptions(signal)
  const { defaultDocumentAccessType, userTokenLifetimeSeconds, expiringSoonSeconds, requireKnownResources } =
    await client.keyConfig.get({}, { ...options, ...FIRST_CALL })
  await write([
    {
      record: 'settings',
      defaultDocumentAccessType,
      requireKnownResources: false,
      userTokenLifetimeSeconds,
      expiringSoonSeconds,
    },
  ])
  const { allowedDomains } = await client.domains.get({}, options)
  await write(allowedDomains.map((domain) => ({ record: 'domain', domain })))
  const profiles = portions(client.profiles.list.pages({}, options), (data) => data.profiles)
  for await (const portion of ahead(profiles))
    await write(portion.map(({ userId, ...profile }) => ({ record: 'user', userId, ...unlessEmpty({ profile }) })))
  await exportOrganizations(client, write, options)
  await write([{ record: 'settings', requireKnownResources }])
}

async function exportOrganizations(client: Client, write: Write, options: CallOptions): Promise<void> {
  const pages = portions(client.organizations.get.pages({}, options), (data) => data.filter(isRecord))
  const opened: Portions<DataRecord>[] = []
  const next = async (): Promise<void> => {
    const first = opened.shift()
    if (first !== undefined) for await (const records of first) await write(records)
  }
  for await (const page of ahead(pages))
    for (const organization of page) {
      opened.push(organizationRecords(client, organization, options))
      if (opened.length > ORGANIZATIONS_AHEAD) await next()
    }
  while (opened.length > 0) await next()
}

type Organization = Extract<GetOrganizationsResult[number], { disabled: boolean }>

/** Not the answer for an id that is not there. */
const isRecord = <Entry extends object>(entry: Entry): entry is Extract<Entry, { disabled: boolean }> =>
  'disabled' in entry

/** An organization and everything in it, each thing after what it needs. Its lists are asked for at once. */
function organizationRecords(client: Client, organization: Organization, options: CallOptions): Portions<DataRecord> {
  const { id: organizationId, organizationName, disabled, ...metadata } = organization
  const asked = { organizationId }
  const folderPages = () => portions(client.folders.get.pages(asked, options), (data) => data)
  const folders = ahead(parentsFirst(folderPages))
  const documents = ahead(
    portions(client.documents.get.pages({ ...asked, pageSize: DOCUMENTS_PER_PAGE }, options), (data) =>
      data.filter(isRecord),
    ),
  )
  const grants = ahead(portions(client.grants.list.pages(asked, options), (data) => data.grants))
  const userGroups = ahead(portions(client.userGroups.get.pages(asked, options), (data) => data))

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
    for await (const portion of grants)
      yield portion.map(({ userId, type, id, accessRole, expiresAt }) => ({
        record: 'grant',
        userId,
        type,
        id,
        ...(type === 'organization' ? {} : { organizationId }),
        accessRole,
        ...(expiresAt === undefined ? {} : { expiresAt }),
      }))
    for await (const portion of userGroups)
      for (const group of portion) if ('groupId' in group) yield* groupRecords(client, organizationId, group, options)
  }
  return records()
}

/** A folder with the fields that `folders.add` takes: a new one of them is exported without being named here. */
function folderRecord(organizationId: string, folder: Folder): DataRecord {
  const names = fieldsOf('folder')
  const given = Object.entries(folder).filter(([name]) => names.includes(name))
  const { parentFolderId, accessType, ...fields } = Object.fromEntries(given) as FolderInput
  return {
    record: 'folder',
    ...fields,
    organizationId,
    ...(parentFolderId === 'root' ? {} : { parentFolderId }),
    ...(folder.inheritAccessFromParent ? {} : { accessType }),
  }
}

function documentRecord(organizationId: string, document: DocumentAnswer): DataRecord {
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

type DocumentAnswer = Extract<Awaited<ReturnType<Client['documents']['get']>>[number], { disabled: boolean }>

async function* groupRecords(
  client: Client,
  organizationId: string,
  { groupId, groupName }: { groupId: string; groupName?: string },
  options: CallOptions,
): Portions<DataRecord> {
  yield [{ record: 'userGroup', organizationId, groupId, ...(groupName === undefined ? {} : { groupName }) }]
  const asked = { organizationId, organizationUserGroupIds: [groupId] }
  const users = portions(client.users.get.pages(asked, options), (data) => (Array.isArray(data) ? data : []))
  for await (const portion of ahead(users))
    yield portion.map(({ userId }) => ({ record: 'userGroupUser', organizationId, groupId, userId }))
}

type Folder = GetFoldersResult[number]

/**
 * Parents before children, in bounded memory: the list, which is in the order of ids, is read once for each level that
 * there is. One that fits on a page is read once.
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

/** Nothing instead of an empty object. */
function unlessEmpty<Open extends Record<string, object>>(open: Open): Partial<Open> {
  return Object.values(open).every((value) => Object.keys(value).length === 0) ? {} : open
}
