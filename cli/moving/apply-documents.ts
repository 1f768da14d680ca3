/** Documents: added, and those that are there made as the file has them. */
import type { Client } from '#sdk/client.ts'
import { callsOf, type Failed, failedOf, without } from './calls.ts'
import { accessOf, type ItemOf, isThere, type Options, type Send } from './sending.ts'

/** A call is about one folder of one organization. */
export function documentCalls(client: Client, items: readonly ItemOf<'document'>[], options: Options) {
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
