/** Threads of comments on documents. */
import type { CreateFeature } from '#kernel'
import { threadRoutes } from './routes.ts'

export const comments: CreateFeature = (kernel) => ({
  routes: (routes) => threadRoutes(routes, kernel),
})
