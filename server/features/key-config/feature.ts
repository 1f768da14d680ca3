/** Settings of an API key. */
import { copyKeyConfig, getKeyConfig, updateKeyConfig } from '#contract/keys/key-config.ts'
import type { CreateFeature } from '#kernel'
import { createKeyConfigs } from './operations.ts'

export const keyConfig: CreateFeature = (kernel) => ({
  routes(routes) {
    const keyConfigs = createKeyConfigs(kernel)
    routes.withApiKey(getKeyConfig, async (caller) => ({ data: await keyConfigs.get(caller) }))
    routes.withApiKey(updateKeyConfig, (caller, data) => keyConfigs.update(caller, data))
    routes.withKeyOfWorkspace(copyKeyConfig, (caller, data) => keyConfigs.copy(caller, data))
  },
})
