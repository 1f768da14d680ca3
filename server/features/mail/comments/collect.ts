/**
 * Decides who is mailed a comment, when its delay is over, and collects it in mails
 * (rules/comments.md#mails-about-comments). One transaction decides about 1,000 users and remembers the last of them,
 * so a killed server collects nothing twice and forgets nobody.
 */
import { isMailAddress } from '#contract/core/addresses.ts'
import { LIMITS } from '#contract/core/limits.ts'
import { listRecipients, type Recipient } from '#features/comments/shared.ts'
import type { Db } from '#platform/db/db.ts'
import type { JobResult } from '#platform/jobs/worker.ts'
import {
  CLOSE_FULL,
  COLLECT,
  DELETE_MAILING,
  GET_MAILING,
  type MailingJob,
  type MailingRow,
  RESUME_MAILING,
} from './collect-statements.ts'
import { CHANGED } from './digest.ts'
import { FIND_SENT, RECORD_LEFT_OUT } from './result-statements.ts'
import { nextDailyMail } from './times.ts'

/** `hasSmtp`: the installation has a mail server. */
export const createCollect =
  (db: Db, hasSmtp: boolean) =>
  ({ organizationKey: owner, mailingId }: MailingJob): Promise<JobResult> =>
    db.transaction(async (session) => {
      const [mailing] = await session.run(GET_MAILING, [owner, mailingId])
      if (mailing === undefined) return 'done'
      const { carrier, batches, resumeAfter, onlyUserId, now, ...comment } = mailing
      const { apiKeyId, organizationKey, resourceKey, annotationId, commentId, actionType, changedAt } = comment
      const change = { isChange: actionType === CHANGED, changedAt }
      const asked = onlyUserId === null ? { afterUserId: resumeAfter } : { onlyUserId }
      const subject = { organizationKey, resourceKey, annotationId, commentId, ...change, ...asked }
      const isRepeated = onlyUserId !== null && changedAt === null
      const named = [organizationKey, resourceKey, annotationId, commentId, onlyUserId]
      if (isRepeated && (await session.run(FIND_SENT, named)).length > 0) {
        await session.run(DELETE_MAILING, [owner, mailingId])
        return 'done'
      }
      const canSend = carrier === 'sendgrid' || (carrier === 'smtp' && hasSmtp)
      const [found] = canSend ? await listRecipients(session, 'email', [subject]) : []
      const involved = found?.users ?? []
      const recipients = involved.filter(isMailed)
      const leftOut = involved.filter((recipient) => !isMailed(recipient))
      if (carrier !== null && recipients.length > 0) {
        const windows = windowsOf(batches)
        await session.runSet(
          COLLECT,
          recipients.map(({ userId, level, timezone }) => ({
            ...comment,
            ...{ carrier, userId, documentSeconds: windows.documentSeconds, userSeconds: windows.userSeconds },
            dayAt: level === 'DIGEST' ? nextDailyMail(timezone, now) : null,
          })),
        )
        const { documentMax, userMax } = windows
        await session.runSet(
          CLOSE_FULL,
          recipients.map(({ userId }) => ({ apiKeyId, organizationKey, resourceKey, userId, documentMax, userMax })),
        )
      }
      if (leftOut.length > 0)
        await session.runSet(
          RECORD_LEFT_OUT,
          leftOut.map(({ userId, leftOut }) => ({
            ...{ organizationKey, resourceKey, annotationId, commentId, userId },
            outcome: leftOut ?? 'no_address',
          })),
        )
      const last = involved.at(-1)
      if (found?.hasMore && last !== undefined) {
        await session.run(RESUME_MAILING, [owner, mailingId, last.userId])
        return 'again'
      }
      await session.run(DELETE_MAILING, [owner, mailingId])
      return 'done'
    })

export const isMailed = ({ leftOut, email }: Recipient): boolean =>
  leftOut === null && email !== null && isMailAddress(email)

/** The windows of a key; null if a window is off. Missing settings have the smallest possible value. */
export function windowsOf(batches: MailingRow['batches']) {
  const { document, user } = batches ?? {}
  const secondsOf = (batch: typeof document) =>
    batch?.isEnabled ? (batch.batchWindowSeconds ?? LIMITS.notificationDelaySecondsMin) : null
  const mostOf = (batch: typeof document) =>
    batch?.isEnabled ? (batch.maxActivities ?? LIMITS.notificationBatchActivitiesMin) : null
  return {
    documentSeconds: secondsOf(document),
    documentMax: mostOf(document),
    userSeconds: secondsOf(user),
    userMax: mostOf(user),
  }
}
