/**
 * Writes a portion of records with the bulk operations: kind by kind, in the order of their dependencies, with several
 * batches of one kind concurrently. Existing records are updated to match the file, so a portion may be written again.
 */
import type { Client } from '#sdk/client.ts'
import type { DataKind } from '../files/records.ts'
import { LONG_LIMITS } from '../timeouts.ts'
import { commentDataChains, STORED_KINDS, type StoredKind } from './apply-comments.ts'
import { documentBatches } from './apply-documents.ts'
import { folderBatches } from './apply-folders.ts'
import { disabledUserSender, domainSender, profileSender, settingsSender } from './apply-key.ts'
import { userGroupBatches, userGroupUserBatches } from './apply-user-groups.ts'
import { webhookEndpointSender } from './apply-webhook-endpoints.ts'
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
  const of = <Kind extends DataKind>(kind: Kind) => deduplicate(byKind.get(kind) ?? [], onDone) as ItemOf<Kind>[]
  for (const item of of('settings')) await finish({ items: [item], send: settingsSender(client, options) })
  const [ofGroups, ofUsers] = partition(of('grant'), ({ record }) => record.groupId !== undefined)
  // The batches of a chain are sent sequentially, the chains of a phase concurrently.
  const phases: Batch<never>[][][] = [
    [batchesOf(of('domain'), domainSender(client, options))],
    apart(batchesOf(of('disabledUser'), disabledUserSender(client, options))),
    apart(batchesOf(of('user'), profileSender(client, options))),
    apart(batchesOf(of('organization'), organizationSender(client, options))),
    [...Map.groupBy(of('folder'), organizationOf).values()].map((folders) => folderBatches(client, folders, options)),
    apart(documentBatches(client, of('document'), options)),
    apart(batchesByGroup(ofUsers, grantedIn, grantSender(client, options))),
    apart(userGroupBatches(client, of('userGroup'), options)),
    apart(batchesByGroup(ofGroups, grantedIn, grantSender(client, options))),
    apart(userGroupUserBatches(client, of('userGroupUser'), options)),
    apart(invitationBatches(client, of('invitation'), options)),
    [batchesOf(of('webhookEndpoint'), webhookEndpointSender(client, options))],
    ...STORED_IN_ORDER.map((kind) => commentDataChains(client, kind, of(kind), options)),
  ] as never
  for (const chains of phases)
    await concurrently(chains, CONCURRENT_BATCHES, async (chain) => {
      for (const batch of chain) await finish(batch)
    })

  async function finish<One extends Item>(batch: Batch<One>): Promise<void> {
    signal?.throwIfAborted()
    onDone(batch.items, await sendBatch(batch))
  }
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
