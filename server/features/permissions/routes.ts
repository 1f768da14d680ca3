/** Operations of permissions, each to its function. */
import { addPermissions, getPermissions, removePermissions } from '#contract/permissions.ts'
import type { Routes } from '#http/route.ts'
import type { Permissions } from './operations.ts'

export function permissionRoutes(routes: Routes, permissions: Permissions): void {
  routes.withApiKey(addPermissions, async (caller, data) => {
    await permissions.add(caller, data)
    return undefined
  })
  routes.withApiKey(removePermissions, async (caller, data) => {
    await permissions.remove(caller, data)
    return undefined
  })
  routes.withApiKeyOrUser(getPermissions, async (caller, data) => ({ data: await permissions.get(caller, data) }))
}
