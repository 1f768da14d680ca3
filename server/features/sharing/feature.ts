/** Sharing: users see who has access to a document, and its editors change that (rules/access.md#sharing). */
import { getSharing, listSharingTargets } from '#contract/access/sharing.ts'
import { updateSharing } from '#contract/access/sharing-changes.ts'
import type { CreateFeature } from '#kernel'
import { createGetSharing } from './get.ts'
import { createUpdateSharing } from './operations.ts'
import { createListSharingTargets } from './targets.ts'

export const sharing: CreateFeature = (kernel) => ({
  routes(routes) {
    routes.withApiKeyOrUser(getSharing, createGetSharing(kernel))
    routes.withApiKeyOrUser(listSharingTargets, createListSharingTargets(kernel))
    routes.withApiKeyOrUser(updateSharing, createUpdateSharing(kernel))
  },
})
