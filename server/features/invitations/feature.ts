/** Invitations of people to organizations, folders and documents. */
import {
  addInvitation,
  countInvitations,
  getInvitations,
  getUserInvitations,
  respondToInvitation,
} from '#contract/resources/invitations.ts'
import { userTokenCheck } from '#features/user-tokens/shared.ts'
import type { Routes } from '#http/route.ts'
import type { CreateFeature } from '#kernel'
import { createInvitations, type Invitations } from './operations.ts'

export const invitations: CreateFeature = (kernel) => ({
  routes: (routes) => invitationRoutes(routes, createInvitations(kernel, kernel.use(userTokenCheck))),
})

function invitationRoutes(routes: Routes, invitations: Invitations): void {
  routes.withApiKey(addInvitation, (caller, data) => invitations.add(caller, data))
  routes.withApiKey(respondToInvitation, (caller, data) => invitations.respond(caller, data))
  routes.withApiKey(getInvitations, (caller, data) => invitations.get(caller, data))
  routes.withApiKey(getUserInvitations, (caller, data) => invitations.getOfPerson(caller, data))
  routes.withApiKey(countInvitations, async (caller, data) => ({ data: await invitations.count(caller, data) }))
}
