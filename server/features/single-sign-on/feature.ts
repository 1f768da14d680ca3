/** Single sign-on: the operators of a workspace sign in with its OpenID Connect provider. */
import { getSsoConfig, testSsoConfig, updateSsoConfig, verifySsoDomain } from '#contract/workspace/sso-config.ts'
import type { CreateFeature } from '#kernel'
import { repeatLater } from '#platform/jobs/repeat.ts'
import { createSsoConfigs } from './config.ts'
import { createSsoDomains } from './domains.ts'
import { createSingleSignOn } from './sign-in.ts'

const SWEEP_INTERVAL_MS = 10 * 60_000

export const singleSignOn: CreateFeature = ({ log, use }) => {
  const signIns = use(createSingleSignOn)
  const { sweep, close } = signIns
  const stopSweep = repeatLater(sweep, {
    everyMs: SWEEP_INTERVAL_MS,
    log,
    failure: 'the sweep of sign-ins with a provider failed; it will be retried',
  })
  return {
    routes(routes) {
      const configs = use(createSsoConfigs)
      const domains = use(createSsoDomains)
      routes.withWorkspace(getSsoConfig, async (caller) => ({ data: await configs.get(caller) }))
      routes.withWorkspace(updateSsoConfig, async (caller, data) => ({ data: await configs.update(caller, data) }))
      routes.withWorkspace(testSsoConfig, async (caller, data) => ({ data: await signIns.test(caller, data) }))
      routes.withWorkspace(verifySsoDomain, async (caller, data) => ({ data: await domains.verify(caller, data) }))
    },
    async stop() {
      await Promise.all([stopSweep(), close()])
    },
  }
}
