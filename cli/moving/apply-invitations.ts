/** Adds invitations, one in a call; a pending one is renewed. */
import type { Client } from '#sdk/client.ts'
import type { ItemOf, Options } from './apply-common.ts'
import type { Batch } from './batches.ts'

export const invitationBatches = (
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
