/** Reads and updates the settings of an API key for access and user tokens. Nothing is cached: changes take effect with the next request. */
import type { getKeyConfig, updateKeyConfig } from '#contract/key-config.ts'
import type { DataOf, ResultOf } from '#contract/operation.ts'
import type { Db } from '#platform/db/db.ts'
import { credentialsInvalid } from '#platform/status-error.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { recordStreamEvents } from '#tenancy/events/record.ts'
import { changeApiKey } from '#tenancy/writes/api-key.ts'
import { GET_KEY_CONFIG, SET_KEY_CONFIG } from './statements.ts'

export type KeyConfigs = ReturnType<typeof createKeyConfigs>

type Settings = DataOf<typeof updateKeyConfig>

export function createKeyConfigs(db: Db) {
  return {
    async get({ apiKeyId }: Caller): Promise<ResultOf<typeof getKeyConfig>> {
      const [row] = await db.run(GET_KEY_CONFIG, [apiKeyId])
      if (row === undefined) throw credentialsInvalid()
      const { plan, ...settings } = row
      return { ...settings, planInfo: plan.planInfo ?? {} }
    },

    async update(caller: Caller, given: Settings): Promise<ResultOf<typeof updateKeyConfig>> {
      const { apiKeyId, workspaceId, actor } = caller
      return changeApiKey(
        db,
        caller,
        apiKeyId,
        async (session) => {
          const [stored] = await session.run(GET_KEY_CONFIG, [apiKeyId])
          if (stored === undefined) throw credentialsInvalid()
          const changed = (Object.keys(given) as (keyof Settings)[]).filter((name) => given[name] !== stored[name])
          if (changed.length === 0) return given
          const settings = { ...stored, ...given }
          await session.run(SET_KEY_CONFIG, [
            apiKeyId,
            settings.defaultDocumentAccessType,
            settings.defaultAccessRole,
            settings.requireKnownResources,
            settings.userTokenLifetimeSeconds,
            settings.expiringSoonSeconds,
          ])
          const only = (from: Settings) => Object.fromEntries(changed.map((name) => [name, from[name]]))
          await recordStreamEvents(session, [
            { type: 'api_key.updated', workspaceId, apiKeyId, actor, before: only(stored), after: only(given) },
          ])
          return given
        },
        credentialsInvalid,
      )
    },
  }
}
