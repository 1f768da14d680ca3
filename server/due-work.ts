/** The queues of durable work, and the statements that find due work in all of them (ADR 0072). */

import { WEEKLY_JOBS } from '#features/findings/weekly/statements.ts'
import { INVITATION_MAILS } from '#features/login-links/invitation-mail-statements.ts'
import { MAILING_JOBS } from '#features/mail/comments/collect-statements.ts'
import { SENDGRID_JOBS, SMTP_JOBS } from '#features/mail/statements.ts'
import { MIGRATION_JOBS } from '#features/migrations/statements.ts'
import { EXPIRED_GRANTS } from '#features/permissions/expiry/statements.ts'
import { REVOCATION_JOBS } from '#features/user-access/revocation-statements.ts'
import { DELETION_JOBS } from '#features/user-data/deletion-statements.ts'
import { READY_ENDPOINTS } from '#features/webhooks/delivery/claim-statements.ts'
import { findDue } from '#platform/jobs/due-work.ts'
import { CLOCK_STEPS } from '#tenancy/events/clock-steps.ts'

/** Finds due work in a database that has API keys. */
export const FIND_DUE = findDue('due-work.find', [
  MIGRATION_JOBS,
  DELETION_JOBS,
  REVOCATION_JOBS,
  MAILING_JOBS,
  SMTP_JOBS,
  SENDGRID_JOBS,
  READY_ENDPOINTS,
  EXPIRED_GRANTS,
  CLOCK_STEPS,
])

/** Finds due work that only the home database has. */
export const FIND_DUE_OF_HOME = findDue('due-work.find-of-home', [INVITATION_MAILS, WEEKLY_JOBS])
