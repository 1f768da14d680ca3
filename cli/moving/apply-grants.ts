/** Adds grants. */
import type { Client } from '#sdk/client.ts'
import type { Options, Send } from './apply-common.ts'

export const grantSender =
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
