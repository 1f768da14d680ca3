/** Folders. */
import type { CreateFeature } from '#kernel'
import { createFolders } from './operations.ts'
import { folderRoutes } from './routes.ts'

export const folders: CreateFeature = (kernel) => ({
  routes: (routes) => folderRoutes(routes, createFolders(kernel)),
})
