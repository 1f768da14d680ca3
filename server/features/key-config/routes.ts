/** Routes of the API key settings. */
import { copyKeyConfig, getKeyConfig, updateKeyConfig } from '#contract/keys/key-config.ts'
import type { Routes } from '#http/route.ts'
import type { KeyConfigs } from './operations.ts'

export function keyConfigRoutes(routes: Routes, keyConfigs: KeyConfigs): void {
  routes.withApiKey(getKeyConfig, async (caller) => ({ data: await keyConfigs.get(caller) }))
  routes.withApiKey(updateKeyConfig, (caller, data) => keyConfigs.update(caller, data))
  routes.withKeyOfWorkspace(copyKeyConfig, (caller, data) => keyConfigs.copy(caller, data))
}
