/** Mails about events and comments: durable jobs. */
import { wordsOf } from '#features/comments/shared.ts'
import type { CreateFeature } from '#kernel'
import { createSubscriptionLinks } from './comments/links.ts'
import { subscriptionPages } from './comments/subscription.ts'
import { createConfirmation } from './confirmation.ts'
import { startMail } from './operations.ts'
import { mailRoutes } from './routes.ts'

export const mail: CreateFeature = (kernel) => {
  const confirmation = createConfirmation({ ...kernel, db: kernel.home, isRequired: kernel.config.MAIL_CONFIRM_OWNERS })
  const { SENDGRID_URL: sendGridUrl, SMTP_URL: url, MAIL_FROM: from, MAILS_PER_RECIPIENT } = kernel.config
  const links = createSubscriptionLinks(kernel.sealer, kernel.publicUrl)
  const operations = startMail({
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
      mailRoutes(routes, kernel, operations, confirmation)
      confirmation.routes(pipeline)
      subscriptionPages(kernel.db, links, pipeline)
    },
    workers: operations.workers,
    backlogs: { mails: operations.backlog },
    stop: operations.stop,
  }
}
