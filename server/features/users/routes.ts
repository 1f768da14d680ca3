/** Operations of users, each to its function. */
import { addUsers, updateUsers } from '#contract/users.ts'
import type { Routes } from '#http/route.ts'
import type { Users } from './operations.ts'

export function userRoutes(routes: Routes, users: Users): void {
  routes.withApiKey(addUsers, async (caller, data) => ({ data: await users.add(caller, data) }))
  routes.withApiKey(updateUsers, async (caller, data) => ({ data: await users.update(caller, data) }))
}
