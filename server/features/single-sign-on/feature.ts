/** Single sign-on: the operators of a workspace sign in with its OpenID Connect provider. */
import type { CreateFeature } from '#kernel'
import { repeat } from '#platform/jobs/repeat.ts'
import { createSsoConfigs } from './config.ts'
import { ssoConfigRoutes } from './routes.ts'
import { createSingleSignOn } from './sign-in.ts'

const SWEEP_INTERVAL_MS = 10 * 60_000

export const singleSignOn: CreateFeature = ({ log, use }) => {
  const { sweep, close } = use(createSingleSignOn)
  const stopSweep = repeat(sweep, {
    everyMs: SWEEP_INTERVAL_MS,
    log,
    failure: 'the sweep of sign-ins with a provider failed; it will be retried',
  })
  return {
    routes: (routes) => ssoConfigRoutes(routes, use(createSsoConfigs)),
    async stop() {
      await Promise.all([stopSweep(), close()])
    },
  }
}
