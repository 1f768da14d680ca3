/** Moves threads, notifications and activities as they are stored: exports read them, imports write them (rules/comments.md#moving). */
import type { CreateFeature } from '#kernel'
import { commentDataRoutes } from './routes.ts'

export const commentData: CreateFeature = (kernel) => ({
  routes: (routes) => commentDataRoutes(routes, kernel),
})
