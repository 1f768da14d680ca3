/** Adds documents, and updates existing ones to match the file. */
import type { Client } from '#sdk/client.ts'
import {
  accessOf,
  alreadyExists,
  batchesOf,
  type Failed,
  failedOf,
  type ItemOf,
  moveWithAccess,
  type Options,
  type Send,
  sendBatch,
  without,
} from './batches.ts'

/** Each batch is for one folder of one organization. */
export function documentBatches(client: Client, items: readonly ItemOf<'document'>[], options: Options) {
  const folders = Map.groupBy(items, ({ record }) => JSON.stringify([record.organizationId, record.folderId]))
  return [...folders.values()].flatMap((folder) => batchesOf(folder, documentSender(client, options)))
}

/**
 * Returns a function that closes the existing documents of one organization that are closed in the file. It runs before
 * existing folders change: one that the file opens may contain them. Refusals are found when the documents are written.
 */
export function documentCloser(client: Client, items: readonly ItemOf<'document'>[], options: Options) {
  let closing: Promise<void> | undefined
  return () => (closing ??= closeAll())

  async function closeAll(): Promise<void> {
    const isClosed = ({ record: { accessType = 'public', disabled } }: ItemOf<'document'>) =>
      disabled || accessType !== 'public'
    for (const batch of batchesOf(items.filter(isClosed), close)) await sendBatch(batch)
  }

  async function close(closed: readonly ItemOf<'document'>[]) {
    const organizationId = closed[0]?.record.organizationId ?? ''
    for (const accessType of ['restricted', 'organizationPrivate'] as const) {
      const documentIds = closed.filter(({ record }) => record.accessType === accessType).map(documentId)
      if (documentIds.length > 0) await client.documentAccess.set({ organizationId, documentIds, accessType }, options)
    }
    const documentIds = closed.filter(({ record }) => record.disabled).map(documentId)
    if (documentIds.length > 0) await client.documents.disable({ organizationId, documentIds, disabled: true }, options)
    return []
  }
}

const documentId = ({ record }: ItemOf<'document'>) => record.documentId

const documentSender =
  (client: Client, options: Options): Send<'document'> =>
  async (items) => {
    const { organizationId = '', folderId } = items[0]?.record ?? {}
    const documents = items.map(({ record: { documentId, documentName, accessType, disabled, metadata } }) => ({
      ...metadata,
      documentId,
      ...(documentName === undefined ? {} : { documentName }),
      ...(accessType === undefined ? {} : { accessType }),
      ...(disabled ? { disabled } : {}),
    }))
    const folder = { organizationId, ...(folderId === undefined ? {} : { folderId }) }
    const notAdded = failedOf(items, await client.documents.add({ ...folder, documents }, options), documentId)
    const existing = notAdded.filter(alreadyExists).map(({ item }) => item)
    const failed = notAdded.filter((one) => !alreadyExists(one))
    return [...failed, ...(await updateDocuments(client, organizationId, folderId, existing, options))]
  }

const nullIn = (documentId: string | undefined, name: string): string => JSON.stringify([documentId, name])

/** Returns the fields that are null already, as in the file: an update with null would remove them. */
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
      Object.entries(fields).flatMap(([name, value]) => (value === null ? [nullIn(id, name)] : [])),
    ),
  )
}

/** Updates existing documents to match the file. */
async function updateDocuments(
  client: Client,
  organizationId: string,
  folderId: string | undefined,
  items: readonly ItemOf<'document'>[],
  options: Options,
): Promise<(Failed & { item: ItemOf<'document'> })[]> {
  if (items.length === 0) return []
  const nulls = await nullsOf(client, organizationId, items, options)
  const documents = items.map(({ record: { documentId, documentName = null, metadata = {} } }) => ({
    ...Object.fromEntries(Object.entries(metadata).filter(([name]) => !nulls.has(nullIn(documentId, name)))),
    documentId,
    documentName,
  }))
  const failed = failedOf(items, await client.documents.update({ organizationId, documents }, options), documentId)
  const left = () => without(items, failed)
  failed.push(...(await setDisabled(true)))
  failed.push(...(await moveWithAccess(left(), move, setAccess)))
  failed.push(...(await setDisabled(false)))
  return failed

  async function setDisabled(disabled: boolean) {
    const which = left().filter(({ record }) => (record.disabled ?? false) === disabled)
    if (which.length === 0) return []
    const call = { organizationId, documentIds: which.map(documentId), disabled }
    return failedOf(which, await client.documents.disable(call, options), documentId)
  }

  async function move(moved: readonly ItemOf<'document'>[]) {
    if (moved.length === 0) return []
    const call = { organizationId, documentIds: moved.map(documentId), folderId: folderId ?? 'root' }
    return failedOf(moved, await client.documents.move(call, options), documentId)
  }

  async function setAccess(changed: readonly ItemOf<'document'>[]) {
    const access = accessOf(changed[0]?.record.accessType)
    const call = { organizationId, documentIds: changed.map(documentId), ...access }
    return failedOf(changed, await client.documentAccess.set(call, options), documentId)
  }
}
