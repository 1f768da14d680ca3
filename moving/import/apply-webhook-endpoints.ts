/** Adds webhook endpoints, disabled, and updates existing ones to match the file. */
import type { Client } from '#sdk/client.ts'
import { CommonholdError } from '#sdk/errors.ts'
import type { ItemOf, Options, Send } from './batches.ts'

/** Whether an existing endpoint is enabled stays as it is: an import neither starts nor stops messages. */
export const webhookEndpointSender =
  (client: Client, options: Options): Send<'webhookEndpoint'> =>
  async (items) => {
    for (const item of items) {
      const { record: _, uid, url, ...fields } = item.record
      const existing = await createdOrExisting(client, item, options)
      if (existing === undefined) continue
      const { description = null, filterTypes = null, channels = null, rateLimit = null } = fields
      const wanted = { url, description, filterTypes, channels, rateLimit }
      await client.webhookEndpoints.update({ endpointId: existing, ...wanted }, options)
    }
    return []
  }

/** Returns the id of the endpoint with this uid if there was one; otherwise creates it. */
async function createdOrExisting(
  client: Client,
  { record: { record: _, ...endpoint } }: ItemOf<'webhookEndpoint'>,
  options: Options,
): Promise<string | undefined> {
  try {
    await client.webhookEndpoints.create({ ...endpoint, disabled: true }, options)
    return undefined
  } catch (error) {
    if (!(error instanceof CommonholdError) || error.reason !== 'webhook_endpoint_uid_taken') throw error
  }
  for await (const { data } of client.webhookEndpoints.get.pages({}, options)) {
    const found = data.endpoints.find(({ uid }) => uid === endpoint.uid)
    if (found !== undefined) return found.id
  }
  return undefined // deleted meanwhile, on purpose
}
