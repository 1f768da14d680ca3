/** Routes of the settings of single sign-on. The routes of signing in are in the console. */
import { getSsoConfig, testSsoConfig, updateSsoConfig, verifySsoDomain } from '#contract/workspace/sso-config.ts'
import type { Routes } from '#http/route.ts'
import type { SsoConfigs } from './config.ts'
import type { SsoDomains } from './domains.ts'
import type { SingleSignOn } from './sign-in.ts'

interface Parts {
  configs: SsoConfigs
  domains: SsoDomains
  signIns: Pick<SingleSignOn, 'test'>
}

export function ssoConfigRoutes(routes: Routes, { configs, domains, signIns }: Parts): void {
  routes.withWorkspace(getSsoConfig, async (caller) => ({ data: await configs.get(caller) }))
  routes.withWorkspace(updateSsoConfig, async (caller, data) => ({ data: await configs.update(caller, data) }))
  routes.withWorkspace(testSsoConfig, async (caller, data) => ({ data: await signIns.test(caller, data) }))
  routes.withWorkspace(verifySsoDomain, async (caller, data) => ({ data: await domains.verify(caller, data) }))
}
