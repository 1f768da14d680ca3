/** Routes of the invitation operations. */
import {
  addInvitation,
  countInvitations,
  getInvitations,
  getUserInvitations,
  respondToInvitation,
} from '#contract/resources/invitations.ts'
import type { Routes } from '#http/route.ts'
import type { Invitations } from './operations.ts'

export function invitationRoutes(routes: Routes, invitations: Invitations): void {
  routes.withApiKey(addInvitation, async (caller, data) => {
    await invitations.add(caller, data)
    return {}
  })
  routes.withApiKey(respondToInvitation, async (caller, data) => {
    const result = await invitations.respond(caller, data)
    const { keptRole } = result
    if (keptRole === undefined) return { data: result }
    const warning = `The user already has the role ${keptRole}, which the invitation does not take away: no grant was written.`
    return { data: result, warnings: [warning] }
  })
  routes.withApiKey(getInvitations, (caller, data) => invitations.get(caller, data))
  routes.withApiKey(getUserInvitations, (caller, data) => invitations.getOfPerson(caller, data))
  routes.withApiKey(countInvitations, async (caller, data) => ({ data: await invitations.count(caller, data) }))
}
