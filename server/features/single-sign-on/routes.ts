/** Routes of the settings of single sign-on. The routes of signing in are in the console. */
import { getSsoConfig, updateSsoConfig } from '#contract/workspace/sso-config.ts'
import type { Routes } from '#http/route.ts'
import type { SsoConfigs } from './config.ts'

export function ssoConfigRoutes(routes: Routes, configs: SsoConfigs): void {
  routes.withWorkspace(getSsoConfig, async (caller) => ({ data: await configs.get(caller) }))
  routes.withWorkspace(updateSsoConfig, async (caller, data) => ({ data: await configs.update(caller, data) }))
}
