/** Lists events and deletes old ones. */
import { listAccountEvents, listEvents } from '#contract/events/events.ts'
import type { Routes } from '#http/route.ts'
import type { CreateFeature } from '#kernel'
import { followersBacklog } from '#tenancy/events/feed.ts'
import { createEvents, type Events } from './operations.ts'
import { startRetention } from './retention.ts'

export const events: CreateFeature = (kernel) => {
  const { config, db, log } = kernel
  return {
    routes: (routes) => eventRoutes(routes, createEvents(kernel)),
    backlogs: { followers: () => followersBacklog(db) },
    stop: startRetention({ db, log, days: config.EVENT_RETENTION_DAYS }),
  }
}

function eventRoutes(routes: Routes, events: Events): void {
  routes.withApiKey(listEvents, (caller, data) => events.list(caller, data))
  routes.withWorkspace(listAccountEvents, (caller, data) => events.ofWorkspace(caller, data))
}
