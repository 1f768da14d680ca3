/** Writes the records of the API key itself: settings, domains, profiles of users, disabled users. */
import type { Client } from '#sdk/client.ts'
import type { Options, Send } from './batches.ts'
import { failedOf } from './batches.ts'

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
