/** Settings of an API key. */
import { copyKeyConfig, getKeyConfig, updateKeyConfig } from '#contract/keys/key-config.ts'
import type { Routes } from '#http/route.ts'
import type { CreateFeature } from '#kernel'
import { createKeyConfigs, type KeyConfigs } from './operations.ts'

export const keyConfig: CreateFeature = (kernel) => ({
  routes: (routes) => keyConfigRoutes(routes, createKeyConfigs(kernel)),
})

function keyConfigRoutes(routes: Routes, keyConfigs: KeyConfigs): void {
  routes.withApiKey(getKeyConfig, async (caller) => ({ data: await keyConfigs.get(caller) }))
  routes.withApiKey(updateKeyConfig, (caller, data) => keyConfigs.update(caller, data))
  routes.withKeyOfWorkspace(copyKeyConfig, (caller, data) => keyConfigs.copy(caller, data))
}
