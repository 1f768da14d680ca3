/**
 * Writes the data set of an API key as lines for `import`. Order and format are canonical: equal data sets give files
 * that are equal byte for byte. Pages are written as they arrive, and a slow target slows the reading down.
 */
import type { FolderInput } from '#contract/folders.ts'
import type { Client, WorkspaceClient } from '#sdk/client.ts'
import type { GetFoldersResult, GetOrganizationsResult } from '#sdk/generated/operations.ts'
import type { CallOptions } from '#sdk/options.ts'
import { grantRecords } from './export-grants.ts'
import { MovingFailure } from './failure.ts'
import { type Portions, portions, prefetch } from './pages.ts'
import { type DataRecord, type ExportRecord, FORMAT, fieldsOf, lineOf } from './records.ts'
import { FIRST_CALL_LIMITS, LONG_LIMITS } from './timeouts.ts'

export interface Exported {
  records: number
  bytes: number
}

export interface ExportOptions {
  /** Writes a part of the output; resolves when more can be written. */
  write: (text: string) => Promise<void>
  onProgress?: (soFar: Exported) => void
  signal?: AbortSignal
}

/** The number of organizations whose first pages are fetched in advance. */
const ORGANIZATIONS_AHEAD = 4

/** Small enough for several pages of documents with much metadata to fit in memory. */
const DOCUMENTS_PER_PAGE = 250

export async function exportKey(client: Client, options: ExportOptions): Promise<Exported> {
  const out = writer(options)
  await out.write([{ record: 'export', format: FORMAT, of: 'apiKey' }])
  await exportDataSet(client, out.write, options.signal)
  return out.end()
}

/** Exports every API key of a workspace, in the order of their names. `clientOf` returns the client for a key. */
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
        `Two API keys of the workspace are named “${apiKeyName}”.`,
        'Rename one of them: import finds keys by name.',
      )
    if (disabled)
      throw new MovingFailure(
        `The API key “${apiKeyName}” is disabled: its data cannot be read.`,
        'Enable it during the export.',
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

const callOptions = (signal: AbortSignal | undefined): CallOptions => ({ ...LONG_LIMITS, ...(signal && { signal }) })

/**
 * Settings that restrict access come first, so that nothing is exposed during an import. `requireKnownResources` comes
 * last, because it would refuse grants on declared resources.
 */
async function exportDataSet(client: Client, write: Write, signal: AbortSignal | undefined): Promise<void> {
  const options = callOptions(signal)
  const settings = await client.keyConfig.get({}, { ...options, ...FIRST_CALL_LIMITS })
  const { defaultDocumentAccessType, defaultAccessRole, userTokenLifetimeSeconds, expiringSoonSeconds } = settings
  await write([
    {
      record: 'settings',
      defaultDocumentAccessType,
      defaultAccessRole,
      requireKnownResources: false,
      userTokenLifetimeSeconds,
      expiringSoonSeconds,
    },
  ])
  const { allowedDomains } = await client.domains.get({}, options)
  await write(allowedDomains.map((domain) => ({ record: 'domain', domain })))
  const profiles = portions(client.profiles.list.pages({}, options), (data) => data.profiles)
  for await (const portion of prefetch(profiles))
    await write(portion.map(({ userId, ...profile }) => ({ record: 'user', userId, ...unlessEmpty({ profile }) })))
  await exportOrganizations(client, write, options)
  await write([{ record: 'settings', requireKnownResources: settings.requireKnownResources }])
}

async function exportOrganizations(client: Client, write: Write, options: CallOptions): Promise<void> {
  const pages = portions(client.organizations.get.pages({}, options), (data) => data.filter(isRecord))
  const opened: Portions<DataRecord>[] = []
  const next = async (): Promise<void> => {
    const first = opened.shift()
    if (first !== undefined) for await (const records of first) await write(records)
  }
  for await (const page of prefetch(pages))
    for (const organization of page) {
      opened.push(organizationRecords(client, organization, options))
      if (opened.length > ORGANIZATIONS_AHEAD) await next()
    }
  while (opened.length > 0) await next()
}

type Organization = Extract<GetOrganizationsResult[number], { disabled: boolean }>

/** Whether the entry is a resource, and not the error for an id that does not exist. */
const isRecord = <Entry extends object>(entry: Entry): entry is Extract<Entry, { disabled: boolean }> =>
  'disabled' in entry

/** Yields an organization and everything in it; a record follows the records that it depends on. The lists are fetched concurrently. */
function organizationRecords(client: Client, organization: Organization, options: CallOptions): Portions<DataRecord> {
  const { id: organizationId, organizationName, disabled, ...metadata } = organization
  const query = { organizationId }
  const folderPages = () => portions(client.folders.get.pages(query, options), (data) => data)
  const folders = prefetch(parentsFirst(folderPages))
  const documents = prefetch(
    portions(client.documents.get.pages({ ...query, pageSize: DOCUMENTS_PER_PAGE }, options), (data) =>
      data.filter(isRecord),
    ),
  )
  const grants = prefetch(portions(client.grants.list.pages(query, options), (data) => data.grants))
  const userGroups = prefetch(portions(client.userGroups.get.pages(query, options), (data) => data))

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
    const groupIds: string[] = []
    for await (const portion of userGroups) {
      const groups = portion.flatMap((group) => ('groupId' in group ? [group] : []))
      groupIds.push(...groups.map(({ groupId }) => groupId))
      yield groups.map((group) => ({ record: 'userGroup', organizationId, ...group }))
    }
    yield* grantRecords(organizationId, grants)
    for (const groupId of groupIds) yield* memberRecords(client, organizationId, groupId, options)
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

async function* memberRecords(
  client: Client,
  organizationId: string,
  groupId: string,
  options: CallOptions,
): Portions<DataRecord> {
  const query = { organizationId, organizationUserGroupIds: [groupId] }
  const users = portions(client.users.get.pages(query, options), (data) => (Array.isArray(data) ? data : []))
  for await (const portion of prefetch(users))
    yield portion.map(({ userId }) => ({ record: 'userGroupUser', organizationId, groupId, userId }))
}

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
function unlessEmpty<Open extends Record<string, object>>(open: Open): Partial<Open> {
  return Object.values(open).every((value) => Object.keys(value).length === 0) ? {} : open
}
