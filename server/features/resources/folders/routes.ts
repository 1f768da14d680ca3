/** Operations of folders, each to its function. */
import { addFolders } from '#contract/folders.ts'
import type { Routes } from '#http/route.ts'
import type { Folders } from './operations.ts'

export function folderRoutes(routes: Routes, folders: Folders): void {
  routes.withApiKey(addFolders, async (caller, data) => ({ data: await folders.add(caller, data) }))
}
