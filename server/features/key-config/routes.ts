/** Routes of the API key settings. */
import { copyKeyConfig, getKeyConfig, updateKeyConfig } from '#contract/keys/key-config.ts'
import type { Routes } from '#http/route.ts'
import type { KeyConfigs } from './operations.ts'

export function keyConfigRoutes(routes: Routes, keyConfigs: KeyConfigs): void {
  routes.withApiKey(getKeyConfig, async (caller) => ({ data: await keyConfigs.get(caller) }))
  routes.withApiKey(updateKeyConfig, async (caller, data) => ({ data: await keyConfigs.update(caller, data) }))
  routes.withWorkspace(copyKeyConfig, async (caller, data) => {
    await keyConfigs.copy(caller, data)
    return { data: {} }
  })
}
