/**
 * Writes a portion of records through the bulk operations: kind after kind, each after what it needs, and of one kind
 * several calls at once. What is there already becomes as the file has it, so a portion may be written again.
 */
import type { Client } from '#sdk/client.ts'
import { documentCalls } from './apply-documents.ts'
import { folderCalls } from './apply-folders.ts'
import { grantSender } from './apply-grants.ts'
import { domainSender, profileSender, settingsSender } from './apply-key.ts'
import { organizationSender } from './apply-organizations.ts'
import { userGroupCalls, userGroupUserCalls } from './apply-user-groups.ts'
import { atOnce, type Call, callsByGroup, callsOf, type Failed, type Item, settle } from './calls.ts'
import { lastOfEach } from './last-of-each.ts'
import { PATIENT } from './patience.ts'
import type { DataKind } from './records.ts'
import { type ItemOf, type Options, organizationOf } from './sending.ts'

export interface ApplyOptions {
  /** Called when records have been written or refused. */
  onDone: (items: readonly Item[], failed: readonly Failed[]) => void
  signal?: AbortSignal
}

/** Calls under way: enough to keep two processes busy, the server and its database. */
const CALLS_AT_ONCE = 6

export async function applyRecords(
  client: Client,
  items: readonly Item[],
  { onDone, signal }: ApplyOptions,
): Promise<void> {
  // Repeats are harmless, so no call needs a key.
  const options: Options = { ...PATIENT, idempotencyKey: false, ...(signal && { signal }) }
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
    apart(userGroupCalls(client, of('userGroup'), options)),
    apart(userGroupUserCalls(client, of('userGroupUser'), options)),
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

const grantedIn = ({ record }: ItemOf<'grant'>): string => record.organizationId ?? record.id
