/** Mails about events and comments: durable jobs. */
import { getCommentMails } from '#contract/comments/mails.ts'
import { getEmailPreview } from '#contract/keys/email-preview.ts'
import { testEmailConfig } from '#contract/keys/service-configs.ts'
import { getOwnerEmail } from '#contract/workspace/owner-email.ts'
import { wordsOf } from '#features/comments/shared.ts'
import type { CreateFeature } from '#kernel'
import { createSubscriptionLinks } from './comments/links.ts'
import { createGetEmailPreview } from './comments/preview.ts'
import { createGetCommentMails } from './comments/state.ts'
import { subscriptionPages } from './comments/subscription.ts'
import { createConfirmation } from './confirmation.ts'
import { startMail } from './operations.ts'

const anybody = () => {}

export const mail: CreateFeature = (kernel) => {
  const confirmation = createConfirmation({ ...kernel, db: kernel.home, isRequired: kernel.config.MAIL_CONFIRM_OWNERS })
  const { SENDGRID_URL: sendGridUrl, SMTP_URL: url, MAIL_FROM: from, MAILS_PER_RECIPIENT } = kernel.config
  const links = createSubscriptionLinks(kernel.sealer, kernel.publicUrl)
  const mail = startMail({
    ...kernel,
    // The configuration has a sender wherever it has a server.
    smtp: url === undefined || from === undefined ? undefined : { url, from },
    sendGridUrl,
    mailsPerRecipient: MAILS_PER_RECIPIENT,
    confirmation,
    links,
    words: wordsOf(kernel.config.HEADER_PREFIX),
    observe: kernel.metrics.mailAttempted,
  })
  return {
    routes(routes, pipeline) {
      const preview = createGetEmailPreview(kernel)
      routes.withApiKey(getCommentMails, createGetCommentMails(kernel))
      routes.withApiKey(getEmailPreview, async (caller, data) => ({ data: await preview(caller, data) }))
      routes.withApiKey(testEmailConfig, async (caller, data) => ({ data: await mail.test(caller, data) }))
      routes.withoutCredentials(getOwnerEmail, anybody, async (_caller, { ownerEmail }) => ({
        data: { verified: await confirmation.isConfirmed(ownerEmail) },
      }))
      confirmation.routes(pipeline)
      subscriptionPages(kernel.db, links, pipeline)
    },
    workers: mail.workers,
    backlogs: { mails: mail.backlog },
    stop: mail.stop,
  }
}
