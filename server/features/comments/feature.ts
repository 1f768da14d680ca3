/** Threads of comments on documents. */
import type { CreateFeature } from '#kernel'
import { createAddComments } from './comments/add.ts'
import { threadRoutes } from './routes.ts'
import { createAddThreads } from './threads/add.ts'

export const comments: CreateFeature = (kernel) => {
  const threads = createAddThreads(kernel)
  const comments = createAddComments(kernel)
  return {
    routes: (routes) => threadRoutes(routes, kernel, { addThreads: threads.add, addComments: comments.add }),
    coalescers: [...threads.coalescers, ...comments.coalescers],
  }
}
