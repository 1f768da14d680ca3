/** Users and their profiles. */
import { disableUsers, listDisabledUsers } from '#contract/users/disabled-users.ts'
import { getDocumentUsers } from '#contract/users/document-users.ts'
import { listProfiles, setProfiles } from '#contract/users/profiles.ts'
import { addUsers, countUsers, deleteUsers, getUsers, updateUsers } from '#contract/users/users.ts'
import type { CreateFeature } from '#kernel'
import { createDisabling } from './disabling.ts'
import { createUsers } from './operations.ts'
import { createProfiles } from './profiles.ts'

export const users: CreateFeature = (kernel) => ({
  routes(routes) {
    const users = createUsers(kernel)
    const profiles = createProfiles(kernel)
    const disabling = createDisabling(kernel)
    routes.withApiKey(addUsers, (caller, data) => users.add(caller, data))
    routes.withApiKey(updateUsers, (caller, data) => users.update(caller, data))
    routes.withApiKey(getUsers, (caller, data) => users.get(caller, data))
    routes.withApiKey(countUsers, async (caller, data) => ({ data: await users.count(caller, data) }))
    routes.withApiKey(getDocumentUsers, (caller, data) => users.getOfDocuments(caller, data))
    routes.withApiKey(deleteUsers, async (caller, data) => ({ data: await users.delete(caller, data) }))
    routes.withApiKey(disableUsers, async (caller, data) => ({ data: await disabling.set(caller, data) }))
    routes.withApiKey(listDisabledUsers, (caller, data) => disabling.list(caller, data))
    routes.withApiKey(listProfiles, (caller, data) => profiles.list(caller, data))
    routes.withApiKey(setProfiles, async (caller, data) => ({ data: await profiles.set(caller, data) }))
  },
})
