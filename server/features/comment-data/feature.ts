/** Moves threads, notifications and activities as they are stored: exports read them, imports write them (rules/comments.md#moving). */
import { listCommentData, setCommentData } from '#contract/comments/comment-data.ts'
import type { CreateFeature } from '#kernel'
import { createListCommentData } from './list-comment-data.ts'
import { createSetCommentData } from './set-comment-data.ts'

export const commentData: CreateFeature = (kernel) => ({
  routes(routes) {
    const set = createSetCommentData(kernel)
    routes.withApiKey(listCommentData, createListCommentData(kernel))
    routes.withApiKey(setCommentData, async (caller, data) => ({ data: await set(caller, data) }))
  },
})
