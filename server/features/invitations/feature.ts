/** Invitations of people to organizations, folders and documents. */
import { userTokenCheck } from '#features/user-tokens/shared.ts'
import type { CreateFeature } from '#kernel'
import { createInvitations } from './operations.ts'
import { invitationRoutes } from './routes.ts'

export const invitations: CreateFeature = (kernel) => ({
  routes: (routes) => invitationRoutes(routes, createInvitations(kernel, kernel.use(userTokenCheck))),
})
