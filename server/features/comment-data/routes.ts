/** Routes of exports and imports of threads, notifications and activities. */
import { listCommentData, setCommentData } from '#contract/comments/comment-data.ts'
import type { Routes } from '#http/route.ts'
import type { Kernel } from '#kernel'
import { createListCommentData } from './list.ts'
import { createSetCommentData } from './set.ts'

export function commentDataRoutes(routes: Routes, kernel: Kernel): void {
  const set = createSetCommentData(kernel)
  routes.withApiKey(listCommentData, createListCommentData(kernel))
  routes.withApiKey(setCommentData, async (caller, data) => ({ data: await set(caller, data) }))
}
