/** Folders. */
import { addFolders, deleteFolder, getFolders, setFolderAccess, updateFolders } from '#contract/resources/folders.ts'
import type { CreateFeature } from '#kernel'
import { createFolders } from './operations.ts'

export const folders: CreateFeature = (kernel) => ({
  routes(routes) {
    const folders = createFolders(kernel)
    routes.withApiKey(addFolders, (caller, data) => folders.add(caller, data))
    routes.withApiKey(getFolders, (caller, data) => folders.get(caller, data))
    routes.withApiKey(updateFolders, (caller, data) => folders.update(caller, data))
    routes.withApiKey(setFolderAccess, (caller, data) => folders.setAccess(caller, data))
    routes.withApiKey(deleteFolder, async (caller, data) => ({ data: await folders.delete(caller, data) }))
  },
})
