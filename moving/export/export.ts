/**
 * Writes the data set of an API key as lines for `import`. Order and format are canonical: equal data sets give files
 * that are equal byte for byte. Pages are written as they arrive, and a slow target slows the reading down.
 */
import type { Client, WorkspaceClient } from '#sdk/client.ts'
import type { CallOptions } from '#sdk/options.ts'
import { MovingFailure } from '../failure.ts'
import { byteLength } from '../files/lines.ts'
import { type DataRecord, type ExportRecord, FORMAT, lineOf } from '../files/records.ts'
import { FIRST_CALL_LIMITS, LONG_LIMITS } from '../timeouts.ts'
import { organizationRecords, unlessEmpty } from './export-organization.ts'
import { type Portions, portions, prefetch } from './pages.ts'

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
    soFar.bytes += byteLength(text)
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
 * Settings and disabled users that restrict access come first, so that nothing is exposed during an import. `requireKnownResources` comes
 * last, because it would refuse grants on declared resources.
 */
async function exportDataSet(client: Client, write: Write, signal: AbortSignal | undefined): Promise<void> {
  const options = callOptions(signal)
  const settings = await client.keyConfig.get({}, { ...options, ...FIRST_CALL_LIMITS })
  const { defaultDocumentAccessType, defaultAccessRole, accessRoles } = settings
  const { userTokenLifetimeSeconds, expiringSoonSeconds, userSharing } = settings
  const enablePrivateComments = settings.isPrivateCommentsEnabled
  await write([
    {
      record: 'settings',
      defaultDocumentAccessType,
      defaultAccessRole,
      accessRoles,
      requireKnownResources: false,
      userTokenLifetimeSeconds,
      expiringSoonSeconds,
      enablePrivateComments,
      userSharing,
    },
  ])
  const { allowedDomains } = await client.domains.get({}, options)
  await write(allowedDomains.map((domain) => ({ record: 'domain', domain })))
  const disabledUsers = portions(client.disabledUsers.list.pages({}, options), (data) => data.users)
  for await (const portion of prefetch(disabledUsers))
    await write(portion.map(({ userId }) => ({ record: 'disabledUser', userId })))
  const profiles = portions(client.profiles.list.pages({}, options), (data) => data.profiles)
  for await (const portion of prefetch(profiles))
    await write(portion.map(({ userId, ...profile }) => ({ record: 'user', userId, ...unlessEmpty({ profile }) })))
  await exportOrganizations(client, write, options)
  await write([{ record: 'settings', requireKnownResources: settings.requireKnownResources }])
}

async function exportOrganizations(client: Client, write: Write, options: CallOptions): Promise<void> {
  const pages = portions(client.organizations.get.pages({}, options), (data) => data)
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
