/** Operations of mail, each to its function. */

import { getCommentMails } from '#contract/comments/mails.ts'
import { getEmailPreview } from '#contract/keys/email-preview.ts'
import { testEmailConfig } from '#contract/keys/service-configs.ts'
import { getOwnerEmail } from '#contract/workspace/owner-email.ts'
import type { Routes } from '#http/route.ts'
import type { Kernel } from '#kernel'
import { createGetEmailPreview } from './comments/preview.ts'
import { createGetCommentMails } from './comments/state.ts'
import type { Confirmation } from './confirmation.ts'
import type { Mail } from './operations.ts'

const anybody = () => {}

export function mailRoutes(routes: Routes, kernel: Kernel, mail: Mail, confirmation: Confirmation): void {
  const preview = createGetEmailPreview(kernel)
  routes.withApiKey(getCommentMails, createGetCommentMails(kernel))
  routes.withApiKey(getEmailPreview, async (caller, data) => ({ data: await preview(caller, data) }))
  routes.withApiKey(testEmailConfig, async (caller, data) => ({ data: await mail.test(caller, data) }))
  routes.withoutCredentials(getOwnerEmail, anybody, async (_caller, { ownerEmail }) => ({
    data: { verified: await confirmation.isConfirmed(ownerEmail) },
  }))
}
