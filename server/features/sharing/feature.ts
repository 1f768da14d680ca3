/** Sharing: users see who has access to a document, and its editors change that (rules/access.md#sharing). */
import type { CreateFeature } from '#kernel'
import { sharingRoutes } from './routes.ts'

export const sharing: CreateFeature = (kernel) => ({ routes: (routes) => sharingRoutes(routes, kernel) })
