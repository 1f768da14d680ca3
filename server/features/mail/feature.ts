/** Mails about events: durable jobs. */
import type { CreateFeature } from '#kernel'
import { createConfirmation } from './confirmation.ts'
import { startMail } from './operations.ts'
import { mailRoutes } from './routes.ts'

export const mail: CreateFeature = (kernel) => {
  const confirmation = createConfirmation({ ...kernel, isRequired: kernel.config.MAIL_CONFIRM_OWNERS })
  const { SENDGRID_URL: sendGridUrl, SMTP_URL: url, MAIL_FROM: from, MAILS_PER_RECIPIENT } = kernel.config
  const operations = startMail({
    ...kernel,
    // The configuration has a sender wherever it has a server.
    smtp: url === undefined || from === undefined ? undefined : { url, from },
    sendGridUrl,
    mailsPerRecipient: MAILS_PER_RECIPIENT,
    confirmation,
    observe: kernel.metrics.mailAttempted,
  })
  return {
    routes(routes, pipeline) {
      mailRoutes(routes, operations, confirmation)
      confirmation.routes(pipeline)
    },
    workers: operations.workers,
    backlogs: { mails: operations.backlog },
    stop: operations.stop,
  }
}
