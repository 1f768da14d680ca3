/**
 * Writes a portion of records through the bulk operations: kind after kind, each after what it needs, and of one kind
 * several calls at once. What is there already becomes as the file has it, so a portion may be written again.
 */
import type { Client } from '#sdk/client.ts'
import type { KeyedCallOptions } from '#sdk/options.ts'
import { atOnce, type Call, callsByGroup, callsOf, type Failed, failedOf, type Item, settle } from './calls.ts'
import { PATIENT } from './patience.ts'
import type { DataKind, DataRecord, OneRecord } from './records.ts'

export interface ApplyOptions {
  /** Called when records have been written or refused. */
  onDone: (items: readonly Item[], failed: readonly Failed[]) => void
  signal?: AbortSignal
}

/** Calls under way: enough to keep two processes busy, the server and its database. */
const CALLS_AT_ONCE = 6

type ItemOf<Kind extends DataKind> = Item<OneRecord<Kind>>

export async function applyRecords(
  client: Client,
  items: readonly Item[],
  { onDone, signal }: ApplyOptions,
): Promise<void> {
  // Repeats are harmless, so no call needs a key.
  const options: KeyedCallOptions = { ...PATIENT, idempotencyKey: false, ...(signal && { signal }) }
  const byKind = Map.groupBy(items, ({ record }) => record.record)
  const of = <Kind extends DataKind>(kind: Kind) => lastOfEach(byKind.get(kind) ?? [], onDone) as ItemOf<Kind>[]
  for (const item of of('settings')) await finish({ items: [item], send: settingsSender(client, options) })
  // Chains: calls of one run one after the other.
  const phases: Call<never>[][][] = [
    [callsOf(of('domain'), domainSender(client, options))],
    apart(callsOf(of('user'), profileSender(client, options))),
    apart(callsOf(of('organization'), organizationSender(client, options))),
    [...Map.groupBy(of('folder'), organizationOf).values()].map((folders) => folderCalls(client, folders, options)),
    apart(documentCalls(client, of('document'), options)),
    apart(callsByGroup(of('grant'), grantedIn, grantSender(client, options))),
    apart(groupCalls(client, of('userGroup'), options)),
    apart(groupUserCalls(client, of('userGroupUser'), options)),
  ] as never
  for (const chains of phases)
    await atOnce(chains, CALLS_AT_ONCE, async (chain) => {
      for (const call of chain) await finish(call)
    })

  async function finish<One extends Item>(call: Call<One>): Promise<void> {
    signal?.throwIfAborted()
    onDone(call.items, await settle(call))
  }
}

const apart = <One extends Item>(calls: readonly Call<One>[]): Call<One>[][] => calls.map((call) => [call])

const organizationOf = ({ record }: ItemOf<'folder' | 'document' | 'userGroup' | 'userGroupUser'>): string =>
  record.organizationId
const grantedIn = ({ record }: ItemOf<'grant'>): string => record.organizationId ?? record.id

/** The last of several records of one thing; the others are done with. */
function lastOfEach(items: readonly Item[], onDone: ApplyOptions['onDone']): Item[] {
  const last = new Map<string, Item>()
  for (const item of items) {
    const name = nameOf(item.record)
    const before = last.get(name)
    if (before !== undefined) onDone([before], [])
    last.delete(name)
    last.set(name, item)
  }
  return [...last.values()]
}

function nameOf(record: DataRecord): string {
  switch (record.record) {
    case 'settings':
      return ''
    case 'domain':
      return record.domain
    case 'user':
      return record.userId
    case 'organization':
      return record.organizationId
    case 'folder':
      return named(record.organizationId, record.folderId)
    case 'document':
      return named(record.organizationId, record.documentId)
    case 'grant':
      return named(record.organizationId ?? '', record.type, record.id, record.userId)
    case 'userGroup':
      return named(record.organizationId, record.groupId)
    case 'userGroupUser':
      return named(record.organizationId, record.groupId, record.userId)
  }
}

/** One text for several, different where one of them is. */
const named = (...texts: readonly string[]): string => texts.map((text) => `${text.length} ${text}`).join('')

type Options = KeyedCallOptions
type Send<Kind extends DataKind> = Call<ItemOf<Kind>>['send']

const settingsSender =
  (client: Client, options: Options): Send<'settings'> =>
  async (items) => {
    for (const {
      record: { record: _, ...settings },
    } of items) // biome-ignore format: one thing
      if (Object.keys(settings).length > 0) await client.keyConfig.update(settings, options)
    return []
  }

const domainSender =
  (client: Client, options: Options): Send<'domain'> =>
  async (items) => {
    const domains = items.map(({ record }) => record.domain)
    await client.domains.add({ domains }, options)
    return []
  }

const profileSender =
  (client: Client, options: Options): Send<'user'> =>
  async (items) => {
    const users = items.map(({ record: { userId, profile } }) => ({ ...profile, userId }))
    const outcomes = await client.profiles.set({ users }, options)
    return failedOf(items, outcomes, ({ record }) => record.userId)
  }

/** Disabled ones are so before anything in them is written. */
const organizationSender =
  (client: Client, options: Options): Send<'organization'> =>
  async (items) => {
    const idOf = ({ record }: ItemOf<'organization'>) => record.organizationId
    const organizations = items.map(({ record: { organizationId, organizationName, metadata } }) => ({
      ...metadata,
      organizationId,
      ...(organizationName === undefined ? {} : { organizationName }),
    }))
    const failed = failedOf(items, await client.organizations.add({ organizations }, options), idOf)
    const added = without(items, failed)
    for (const disabled of [true, false]) {
      const organizationIds = added.filter(({ record }) => (record.disabled ?? false) === disabled).map(idOf)
      if (organizationIds.length === 0) continue
      failed.push(...failedOf(added, await client.organizations.disable({ organizationIds, disabled }, options), idOf))
    }
    return failed
  }

const without = <One extends Item>(items: readonly One[], failed: readonly Failed[]): One[] => {
  const gone = new Set(failed.map(({ item }) => item.line))
  return items.filter(({ line }) => !gone.has(line))
}

const isThere = ({ fault }: Failed): boolean => fault.reason === 'already-exists'

/** Of one organization, in the order of the file: parents before children. */
function folderCalls(client: Client, items: readonly ItemOf<'folder'>[], options: Options) {
  const idOf = ({ record }: ItemOf<'folder'>) => record.folderId
  return callsOf(items, async (portion) => {
    const organizationId = portion[0]?.record.organizationId ?? ''
    const folders = portion.map(({ record: { record: _, organizationId: __, ...folder } }) => folder)
    const failed = failedOf(portion, await client.folders.add({ organizationId, folders }, options), idOf)
    const there = failed.filter(isThere).map(({ item }) => item)
    return [...failed.filter((one) => !isThere(one)), ...(await changeFolders(client, organizationId, there, options))]
  })
}

/** Makes folders that are there as the file has them. */
async function changeFolders(
  client: Client,
  organizationId: string,
  items: readonly ItemOf<'folder'>[],
  options: Options,
): Promise<Failed[]> {
  if (items.length === 0) return []
  const idOf = ({ record }: ItemOf<'folder'>) => record.folderId
  const folders = items.map(({ record: { folderId, folderName = null, parentFolderId = 'root' } }) => ({
    folderId,
    folderName,
    parentFolderId,
  }))
  const failed = failedOf(items, await client.folders.update({ organizationId, folders }, options), idOf)
  for (const [, group] of Map.groupBy(without(items, failed), ({ record }) => record.accessType)) {
    const access = accessOf(group[0]?.record.accessType)
    const outcomes = await client.folderAccess.set({ organizationId, folderIds: group.map(idOf), ...access }, options)
    failed.push(...failedOf(group, outcomes, idOf))
  }
  return failed
}

const accessOf = <AccessType>(accessType: AccessType | undefined) =>
  accessType === undefined ? { inheritFromParent: true } : { accessType }

/** A call is about one folder of one organization. */
function documentCalls(client: Client, items: readonly ItemOf<'document'>[], options: Options) {
  const places = Map.groupBy(items, ({ record }) => JSON.stringify([record.organizationId, record.folderId]))
  return [...places.values()].flatMap((place) => callsOf(place, documentSender(client, options)))
}

const documentId = ({ record }: ItemOf<'document'>) => record.documentId

const documentSender =
  (client: Client, options: Options): Send<'document'> =>
  async (items) => {
    const { organizationId = '', folderId } = items[0]?.record ?? {}
    const documents = items.map(({ record: { documentId, documentName, accessType, metadata } }) => ({
      ...metadata,
      documentId,
      ...(documentName === undefined ? {} : { documentName }),
      ...(accessType === undefined ? {} : { accessType }),
    }))
    const place = { organizationId, ...(folderId === undefined ? {} : { folderId }) }
    const failed = failedOf(items, await client.documents.add({ ...place, documents }, options), documentId)
    const there = failed.filter(isThere).map(({ item }) => item)
    const others = failed.filter((one) => !isThere(one))
    others.push(...(await changeDocuments(client, organizationId, folderId, there, options)))
    const disabled = without(items, others).filter(({ record }) => record.disabled)
    if (disabled.length === 0) return others
    const documentIds = disabled.map(documentId)
    const outcomes = await client.documents.disable({ organizationId, documentIds, disabled: true }, options)
    return [...others, ...failedOf(disabled, outcomes, documentId)]
  }

/** The fields that are null already, as the file has them: an update with null would take them away. */
async function nullsOf(
  client: Client,
  organizationId: string,
  items: readonly ItemOf<'document'>[],
  options: Options,
): Promise<Set<string>> {
  const documentIds = items
    .filter(({ record: { metadata = {} } }) => Object.values(metadata).includes(null))
    .map(documentId)
  if (documentIds.length === 0) return new Set()
  const found = await client.documents.get({ organizationId, documentIds }, options)
  return new Set(
    found.flatMap(({ id, ...fields }) =>
      Object.entries(fields).flatMap(([name, value]) => (value === null ? [`${name} ${id}`] : [])),
    ),
  )
}

/** Makes documents that are there as the file has them, but for being disabled. */
async function changeDocuments(
  client: Client,
  organizationId: string,
  folderId: string | undefined,
  items: readonly ItemOf<'document'>[],
  options: Options,
): Promise<(Failed & { item: ItemOf<'document'> })[]> {
  if (items.length === 0) return []
  const nulls = await nullsOf(client, organizationId, items, options)
  const documents = items.map(({ record: { documentId, documentName = null, metadata = {} } }) => ({
    ...Object.fromEntries(Object.entries(metadata).filter(([name]) => !nulls.has(`${name} ${documentId}`))),
    documentId,
    documentName,
  }))
  const failed = failedOf(items, await client.documents.update({ organizationId, documents }, options), documentId)
  const left = () => without(items, failed)
  const move = { organizationId, documentIds: left().map(documentId), folderId: folderId ?? 'root' }
  if (move.documentIds.length > 0)
    failed.push(...failedOf(left(), await client.documents.move(move, options), documentId))
  for (const group of Map.groupBy(left(), ({ record }) => record.accessType).values()) {
    const access = { organizationId, documentIds: group.map(documentId), ...accessOf(group[0]?.record.accessType) }
    failed.push(...failedOf(group, await client.documentAccess.set(access, options), documentId))
  }
  const enabled = left().filter(({ record }) => !record.disabled)
  if (enabled.length === 0) return failed
  const documentIds = enabled.map(documentId)
  const outcomes = await client.documents.disable({ organizationId, documentIds, disabled: false }, options)
  return [...failed, ...failedOf(enabled, outcomes, documentId)]
}

const grantSender =
  (client: Client, options: Options): Send<'grant'> =>
  async (items) => {
    const grants = items.map(({ record: { userId, type, id, organizationId, accessRole, expiresAt } }) => ({
      userId,
      type,
      id,
      ...(organizationId === undefined ? {} : { organizationId }),
      ...(accessRole === undefined ? {} : { accessRole }),
      ...(expiresAt === undefined ? {} : { expiresAt }),
    }))
    await client.grants.add({ grants }, options)
    return []
  }

function groupCalls(client: Client, items: readonly ItemOf<'userGroup'>[], options: Options) {
  const idOf = ({ record }: ItemOf<'userGroup'>) => record.groupId
  return [...Map.groupBy(items, organizationOf)].flatMap(([organizationId, groups]) =>
    callsOf(groups, async (portion) => {
      const added = portion.map(({ record: { groupId, groupName } }) => ({
        groupId,
        ...(groupName === undefined ? {} : { groupName }),
      }))
      const outcomes = await client.userGroups.add({ organizationId, organizationUserGroups: added }, options)
      const failed = failedOf(portion, outcomes, idOf)
      const there = failed.filter(isThere).map(({ item }) => item)
      const others = failed.filter((one) => !isThere(one))
      if (there.length === 0) return others
      const named = there.map(({ record: { groupId, groupName = null } }) => ({ groupId, groupName }))
      const updated = await client.userGroups.update({ organizationId, organizationUserGroups: named }, options)
      return [...others, ...failedOf(there, updated, idOf)]
    }),
  )
}

function groupUserCalls(client: Client, items: readonly ItemOf<'userGroupUser'>[], options: Options) {
  const groups = Map.groupBy(items, ({ record }) => JSON.stringify([record.organizationId, record.groupId]))
  return [...groups.values()].flatMap((group) =>
    callsOf(group, async (portion) => {
      const { organizationId = '', groupId = '' } = portion[0]?.record ?? {}
      const userIds = portion.map(({ record }) => record.userId)
      const group = { organizationId, organizationUserGroupId: groupId }
      const outcomes = await client.userGroupUsers.add({ ...group, userIds }, options)
      return failedOf(portion, outcomes, ({ record }) => record.userId)
    }),
  )
}
