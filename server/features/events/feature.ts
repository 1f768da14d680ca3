/** Lists events and deletes old ones. */
import { listAccountEvents, listEvents } from '#contract/events/events.ts'
import type { CreateFeature } from '#kernel'
import { watchClock } from '#tenancy/events/clock-steps.ts'
import { followersBacklog } from '#tenancy/events/feed.ts'
import { createEvents } from './operations.ts'
import { startRetention } from './retention.ts'

export const events: CreateFeature = (kernel) => {
  const { config, db, log } = kernel
  const stopWatching = watchClock(kernel)
  const stopRetention = startRetention({ db, log, days: config.EVENT_RETENTION_DAYS })
  return {
    routes(routes) {
      const events = createEvents(kernel)
      routes.withApiKey(listEvents, (caller, data) => events.list(caller, data))
      routes.withWorkspace(listAccountEvents, (caller, data) => events.ofWorkspace(caller, data))
    },
    backlogs: { followers: () => followersBacklog(db) },
    async stop() {
      await Promise.all([stopWatching(), stopRetention()])
    },
  }
}
