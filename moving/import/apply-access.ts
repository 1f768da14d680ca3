/** Adds grants, and invitations, one in a call; a pending invitation is renewed. */
import type { Client } from '#sdk/client.ts'
import type { Batch, ItemOf, Options, Send } from './batches.ts'

export const grantSender =
  (client: Client, options: Options): Send<'grant'> =>
  async (items) => {
    const grants = items.map(({ record: { record: _, ...grant } }) => grant)
    await client.grants.add({ grants }, options)
    return []
  }

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
