/** Adds grants. */
import type { Client } from '#sdk/client.ts'
import type { Options, Send } from './apply-common.ts'

export const grantSender =
  (client: Client, options: Options): Send<'grant'> =>
  async (items) => {
    const grants = items.map(({ record: { record: _, ...grant } }) => grant)
    await client.grants.add({ grants }, options)
    return []
  }
