/** Lists events and deletes old ones. */
import type { CreateFeature } from '#kernel'
import { followersBacklog } from '#tenancy/events/feed.ts'
import { createEvents } from './operations.ts'
import { startRetention } from './retention.ts'
import { eventRoutes } from './routes.ts'

export const events: CreateFeature = (kernel) => {
  const { config, db, log } = kernel
  return {
    routes: (routes) => eventRoutes(routes, createEvents(kernel)),
    backlogs: { followers: () => followersBacklog(db) },
    stop: startRetention({ db, log, days: config.EVENT_RETENTION_DAYS }),
  }
}
