/** Invitations of people to organizations, folders and documents. */
import {
  addInvitation,
  countInvitations,
  getInvitations,
  getUserInvitations,
  respondToInvitation,
} from '#contract/resources/invitations.ts'
import { userTokenCheck } from '#features/user-tokens/shared.ts'
import type { CreateFeature } from '#kernel'
import { createInvitations } from './operations.ts'

export const invitations: CreateFeature = (kernel) => ({
  routes(routes) {
    const invitations = createInvitations(kernel, kernel.use(userTokenCheck))
    routes.withApiKey(addInvitation, (caller, data) => invitations.add(caller, data))
    routes.withApiKey(respondToInvitation, (caller, data) => invitations.respond(caller, data))
    routes.withApiKey(getInvitations, (caller, data) => invitations.get(caller, data))
    routes.withApiKey(getUserInvitations, (caller, data) => invitations.getOfPerson(caller, data))
    routes.withApiKey(countInvitations, async (caller, data) => ({ data: await invitations.count(caller, data) }))
  },
})
