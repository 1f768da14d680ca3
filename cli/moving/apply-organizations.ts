/** Organizations. */
import type { Client } from '#sdk/client.ts'
import { failedOf, without } from './calls.ts'
import type { ItemOf, Options, Send } from './sending.ts'

/** Disabled ones are so before anything in them is written. */
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
