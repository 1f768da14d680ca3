/** Routes of threads. */
import { addThreads, getThreads } from '#contract/comments/threads.ts'
import type { Routes } from '#http/route.ts'
import type { Kernel } from '#kernel'
import { createAddThreads } from './threads/add.ts'
import { createGetThreads } from './threads/get.ts'

export function threadRoutes(routes: Routes, kernel: Kernel): void {
  routes.withApiKey(addThreads, createAddThreads(kernel))
  routes.withApiKey(getThreads, createGetThreads(kernel))
}
