/** Operations of mail, each to its function. */
import { getOwnerEmail } from '#contract/owner-email.ts'
import { testEmailConfig } from '#contract/service-configs.ts'
import type { Routes } from '#http/route.ts'
import type { Confirmation } from './confirmation.ts'
import type { Mail } from './operations.ts'

const anybody = () => {}

export function mailRoutes(routes: Routes, mail: Mail, confirmation: Confirmation): void {
  routes.withApiKey(testEmailConfig, async (caller, data) => ({ data: await mail.test(caller, data) }))
  routes.withoutCredentials(getOwnerEmail, anybody, async (_caller, { ownerEmail }) => ({
    data: { verified: await confirmation.isConfirmed(ownerEmail) },
  }))
}
