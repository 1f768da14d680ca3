/**
 * Writes a portion of records with the bulk operations: kind by kind, in the order of their dependencies, with several
 * batches of one kind concurrently. Existing records are updated to match the file, so a portion may be written again.
 */
import type { Client } from '#sdk/client.ts'
import type { DataKind } from '../files/records.ts'
import { LONG_LIMITS } from '../timeouts.ts'
import { commentDataChains, STORED_KINDS, type StoredKind } from './apply-comments.ts'
import { documentBatches, documentCloser } from './apply-documents.ts'
import { folderBatches } from './apply-folders.ts'
import { disabledUserSender, domainSender, profileSender, settingsSender, webhookEndpointSender } from './apply-key.ts'
import { userGroupBatches, userGroupUserBatches } from './apply-user-groups.ts'
import {
  type Batch,
  batchesByGroup,
  batchesOf,
  concurrently,
  type Failed,
  failedOf,
  type Item,
  type ItemOf,
  type Options,
  organizationOf,
  type Send,
  sendBatch,
  without,
} from './batches.ts'
import { deduplicate } from './deduplicate.ts'

interface ApplyOptions {
  /** Called when items have been written or refused. */
  onDone: (items: readonly Item[], failed: readonly Failed[]) => void
  signal?: AbortSignal
}

const STORED_IN_ORDER = Object.keys(STORED_KINDS) as StoredKind[]

/** Enough to keep two processes busy, the server and its database. */
const CONCURRENT_BATCHES = 6

export async function applyRecords(
  client: Client,
  items: readonly Item[],
  { onDone, signal }: ApplyOptions,
): Promise<void> {
  // Repeats are harmless, so no call needs an idempotency key.
  const options: Options = { ...LONG_LIMITS, idempotencyKey: false, ...(signal && { signal }) }
  const byKind = Map.groupBy(items, ({ record }) => record.record)
  const earlier = new Map<Item, Item>()
  const of = <Kind extends DataKind>(kind: Kind) => deduplicate(byKind.get(kind) ?? [], earlier) as ItemOf<Kind>[]
  const [ofGroups, ofUsers] = partition(of('grant'), ({ record }) => record.groupId !== undefined)
  // The phases follow the order in which records depend on each other.
  await phase(of('settings'), (items) => [
    items.map((item) => ({ items: [item], send: settingsSender(client, options) })),
  ])
  await phase(of('domain'), (items) => [batchesOf(items, domainSender(client, options))])
  await phase(of('disabledUser'), (items) => apart(batchesOf(items, disabledUserSender(client, options))))
  await phase(of('user'), (items) => apart(batchesOf(items, profileSender(client, options))))
  await phase(of('organization'), (items) => apart(batchesOf(items, organizationSender(client, options))))
  const documents = of('document')
  const documentsOf = Map.groupBy(documents, organizationOf)
  await phase(of('folder'), (items) =>
    [...Map.groupBy(items, organizationOf)].map(([organizationId, folders]) =>
      folderBatches(client, folders, options, documentCloser(client, documentsOf.get(organizationId) ?? [], options)),
    ),
  )
  await phase(documents, (items) => apart(documentBatches(client, items, options)))
  await phase(ofUsers, (items) => apart(batchesByGroup(items, grantedIn, grantSender(client, options))))
  await phase(of('userGroup'), (items) => apart(userGroupBatches(client, items, options)))
  await phase(ofGroups, (items) => apart(batchesByGroup(items, grantedIn, grantSender(client, options))))
  await phase(of('userGroupUser'), (items) => apart(userGroupUserBatches(client, items, options)))
  await phase(of('invitation'), (items) => apart(invitationBatches(client, items, options)))
  await phase(of('webhookEndpoint'), (items) => [batchesOf(items, webhookEndpointSender(client, options))])
  for (const kind of STORED_IN_ORDER) await phase(of(kind), (items) => commentDataChains(client, kind, items, options))

  /**
   * Writes the records of a kind. The batches of a chain are sent sequentially, the chains concurrently. If a record is
   * refused, the one with the same id before it counts.
   */
  async function phase<One extends Item>(items: readonly One[], chainsOf: (items: readonly One[]) => Batch<One>[][]) {
    for (let next = items; next.length > 0; ) {
      const refused: Item[] = []
      await concurrently(chainsOf(next), CONCURRENT_BATCHES, async (chain) => {
        for (const batch of chain) refused.push(...(await finish(batch)))
      })
      next = refused.flatMap((item) => earlier.get(item) ?? []) as One[]
    }
  }

  /** Returns the items that were refused. Those that others replace are done with them. */
  async function finish<One extends Item>(batch: Batch<One>): Promise<Item[]> {
    signal?.throwIfAborted()
    const failed = await sendBatch(batch)
    const refused = new Set<Item>(failed.map(({ item }) => item))
    const written = batch.items.filter((item) => !refused.has(item))
    onDone([...batch.items, ...written.flatMap((item) => [...replacedBy(item, earlier)])], failed)
    return [...refused]
  }
}

/** Yields all items with the same id before an item. */
function* replacedBy(item: Item, earlier: ReadonlyMap<Item, Item>): Generator<Item> {
  for (let previous = earlier.get(item); previous !== undefined; previous = earlier.get(previous)) yield previous
}

const partition = <One>(all: readonly One[], isFirst: (one: One) => boolean): [One[], One[]] => [
  all.filter(isFirst),
  all.filter((one) => !isFirst(one)),
]

/** Puts each batch into a chain of its own. */
const apart = <One extends Item>(batches: readonly Batch<One>[]): Batch<One>[][] => batches.map((batch) => [batch])

const grantedIn = ({ record }: ItemOf<'grant'>): string => record.organizationId ?? record.id

const grantSender =
  (client: Client, options: Options): Send<'grant'> =>
  async (items) => {
    const grants = items.map(({ record: { record: _, ...grant } }) => grant)
    await client.grants.add({ grants }, options)
    return []
  }

/** One invitation in a call; a pending one is renewed. */
const invitationBatches = (
  client: Client,
  items: readonly ItemOf<'invitation'>[],
  options: Options,
): Batch<ItemOf<'invitation'>>[] =>
  items.map((item) => ({
    items: [item],
    async send([sent]) {
      if (sent === undefined) return []
      const { record: _, ...invitation } = sent.record
      await client.invitations.add(invitation, options)
      return []
    },
  }))

/** An organization is disabled, if it is to be, before anything in it is written. */
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
