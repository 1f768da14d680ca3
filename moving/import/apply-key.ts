/** Writes the records of the API key itself: settings, domains, profiles of users, disabled users, webhook endpoints. */
import type { Client } from '#sdk/client.ts'
import { CommonholdError } from '#sdk/errors.ts'
import { failedOf, type ItemOf, type Options, type Send } from './batches.ts'

export const settingsSender =
  (client: Client, options: Options): Send<'settings'> =>
  async (items) => {
    for (const {
      record: { record: _, ...settings },
    } of items) // biome-ignore format: one thing
      if (Object.keys(settings).length > 0) await client.keyConfig.update(settings, options)
    return []
  }

export const domainSender =
  (client: Client, options: Options): Send<'domain'> =>
  async (items) => {
    const domains = items.map(({ record }) => record.domain)
    await client.domains.add({ domains }, options)
    return []
  }

export const disabledUserSender =
  (client: Client, options: Options): Send<'disabledUser'> =>
  async (items) => {
    const userIds = items.map(({ record }) => record.userId)
    await client.users.disable({ userIds, disabled: true }, options)
    return []
  }

export const profileSender =
  (client: Client, options: Options): Send<'user'> =>
  async (items) => {
    const users = items.map(({ record: { userId, profile } }) => ({ ...profile, userId }))
    const outcomes = await client.profiles.set({ users }, options)
    return failedOf(items, outcomes, ({ record }) => record.userId)
  }

/**
 * Adds endpoints, disabled, and updates existing ones to match the file. Whether these are enabled stays as it is: an
 * import neither starts nor stops messages.
 */
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
