/** The routes of events. */
import { listAccountEvents, listEvents } from '#contract/events/events.ts'
import type { Routes } from '#http/route.ts'
import type { Events } from './operations.ts'

export function eventRoutes(routes: Routes, events: Events): void {
  routes.withApiKey(listEvents, (caller, data) => events.list(caller, data))
  routes.withWorkspace(listAccountEvents, (caller, data) => events.ofWorkspace(caller, data))
}
