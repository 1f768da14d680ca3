/** Adds or updates organizations. */
import type { Client } from '#sdk/client.ts'
import type { ItemOf, Options, Send } from './batches.ts'
import { failedOf, without } from './batches.ts'

/** An organization is disabled, if it is to be, before anything in it is written. */
export const organizationSender =
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
