/** Links with which operators sign in to the console, the mails of invitations, and the sweep of old links. */
import { createLoginLink } from '#contract/workspace/owner-email.ts'
import type { CreateFeature } from '#kernel'
import { deleteOld } from '#platform/jobs/old-rows.ts'
import { repeatLater } from '#platform/jobs/repeat.ts'
import { createLoginLinks } from './operations.ts'
import { DELETE_OLD_LOGIN_LINKS } from './statements.ts'

const SWEEP_INTERVAL_MS = 10 * 60_000

export const loginLinks: CreateFeature = ({ db, log, use }) => {
  const links = use(createLoginLinks)
  const stopSweep = repeatLater((stopping) => deleteOld(db, DELETE_OLD_LOGIN_LINKS, stopping), {
    everyMs: SWEEP_INTERVAL_MS,
    log,
    failure: 'the sweep of login links failed; it will be retried',
  })
  return {
    routes(routes) {
      routes.withoutCredentials(createLoginLink, anybody, async (_caller, data) => {
        links.request(data)
        return undefined
      })
    },
    workers: links.workers,
    async stop() {
      await Promise.all([links.stop(), stopSweep()])
    },
  }
}

const anybody = () => {}
