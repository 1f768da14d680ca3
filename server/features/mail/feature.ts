/** Mails about events: durable jobs. */
import type { CreateFeature } from '#kernel'
import { startMail } from './operations.ts'
import { mailRoutes } from './routes.ts'

export const mail: CreateFeature = (kernel) => {
  const { SENDGRID_URL: sendGridUrl, SMTP_URL: url, MAIL_FROM: from, MAILS_PER_RECIPIENT } = kernel.config
  const operations = startMail({
    ...kernel,
    // The configuration has a sender wherever it has a server.
    smtp: url === undefined || from === undefined ? undefined : { url, from },
    sendGridUrl,
    mailsPerRecipient: MAILS_PER_RECIPIENT,
    observe: kernel.metrics.mailAttempted,
  })
  return {
    routes: (routes) => mailRoutes(routes, operations),
    workers: operations.workers,
    backlogs: { mails: operations.backlog },
    stop: operations.stop,
  }
}
