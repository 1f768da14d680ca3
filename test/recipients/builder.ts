/** Builds worlds of comments twice: in the server, through the API, and as objects of the interpreter. */
import type { AccessType } from '#contract/access/permissions.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { updateNotificationConfig } from '#contract/keys/notification-config.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import type { Client } from '#testing/client.ts'
import { buildWorld, otherOf, type World } from './contents.ts'
import { take } from './steps.ts'
import type { WorldSpec } from './worlds.ts'

/**
 * Returns a function that builds worlds concurrently. Worlds with the same access type share an API key, because a key
 * costs more than a world; so each world has its own users.
 */
export function createBuilder(newKey: () => Promise<Client>): (specs: readonly WorldSpec[]) => Promise<World[]> {
  const keys = new Map<AccessType, Promise<Client>>()
  const withSettings = async (defaultDocumentAccessType: AccessType) => {
    const client = await newKey()
    await client.call(updateKeyConfig, { defaultDocumentAccessType })
    await client.call(updateNotificationConfig, { useNotificationService: true })
    return client
  }
  let made = 0
  return async (specs) => {
    const groups = Map.groupBy(specs, ({ defaultAccessType }) => defaultAccessType)
    const built = [...groups].map(async ([accessType, own]) => {
      const key = keys.get(accessType) ?? withSettings(accessType)
      keys.set(accessType, key)
      const client = await key
      const named = own.map((spec) => ({ id: `o${++made}`, spec }))
      const organizations = named.flatMap(({ id }) => [{ organizationId: id }, { organizationId: otherOf(id) }])
      await client.call(addOrganizations, { organizations })
      return Promise.all(
        named.map(async ({ id, spec }) => {
          const world = await buildWorld(client, id, spec)
          for (const step of spec.steps) await take(world, step)
          return world
        }),
      )
    })
    return (await Promise.all(built)).flat()
  }
}
