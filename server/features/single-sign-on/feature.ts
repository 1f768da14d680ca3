/** Single sign-on: the operators of a workspace sign in with its OpenID Connect provider. */
import type { CreateFeature } from '#kernel'
import { repeat } from '#platform/jobs/repeat.ts'
import { createSsoConfigs } from './config.ts'
import { createSsoDomains } from './domains.ts'
import { ssoConfigRoutes } from './routes.ts'
import { createSingleSignOn } from './sign-in.ts'

const SWEEP_INTERVAL_MS = 10 * 60_000

export const singleSignOn: CreateFeature = ({ log, use }) => {
  const signIns = use(createSingleSignOn)
  const { sweep, close } = signIns
  const stopSweep = repeat(sweep, {
    everyMs: SWEEP_INTERVAL_MS,
    log,
    failure: 'the sweep of sign-ins with a provider failed; it will be retried',
  })
  return {
    routes: (routes) =>
      ssoConfigRoutes(routes, { configs: use(createSsoConfigs), domains: use(createSsoDomains), signIns }),
    async stop() {
      await Promise.all([stopSweep(), close()])
    },
  }
}
