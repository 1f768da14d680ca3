/**
 * Sends the mails that invite operators (rules/operators.md#links). The mail is written in the transaction of the invitation, with its link
 * sealed, and is the job that sends it (ADR 0029): it is sent at least once, and tried again for a day.
 */
import type { WorkspaceId } from '#contract/core/ids.ts'
import { createInstallationMail, invitationContent, Refused } from '#features/mail/shared.ts'
import type { Kernel } from '#kernel'
import type { Session } from '#platform/db/db.ts'
import type { Claimed } from '#platform/jobs/leased-rows.ts'
import { type JobResult, startWorker } from '#platform/jobs/worker.ts'
import { tokenHash } from '#platform/secrets/tokens.ts'
import {
  ADD_INVITATION_MAIL,
  FINISH_INVITATION_MAIL,
  GET_INVITATION_MAIL,
  INVITATION_MAILS,
  type InvitationMailJob,
} from './invitation-mail-statements.ts'
import { FIND_LOGIN_LINK } from './statements.ts'

/** The pauses between attempts double up to an hour: as many take about a day. */
const ATTEMPTS_MAX = 34

const contextOf = ({ workspaceId, operatorId }: InvitationMailJob) => ({
  column: 'invitation_mails.link_sealed',
  row: `${workspaceId} ${operatorId}`,
})

/** Returns a function that adds a mail, and the worker that sends them; undefined without a mail server. */
export function startInvitationMails(kernel: Kernel, urlOf: (secret: string) => string) {
  const { db, log, sealer, use } = kernel
  const sendMail = use(createInstallationMail)
  if (sendMail === undefined) return undefined

  async function work({ workspaceId, operatorId, claims }: Claimed<InvitationMailJob>): Promise<JobResult> {
    const [mail] = await db.run(GET_INVITATION_MAIL, [workspaceId, operatorId])
    if (mail === undefined) return 'done'
    const secret = sealer.open(mail.linkSealed, contextOf({ workspaceId, operatorId }))
    const [invited] = await db.run(FIND_LOGIN_LINK, [tokenHash(secret)])
    try {
      // Otherwise the link was used, has expired, or its operator was removed.
      if (invited !== undefined)
        await sendMail?.(invited.email, () => invitationContent({ ...invited, url: urlOf(secret) }), mail)
    } catch (err) {
      if (!(err instanceof Refused && err.isFinal) && claims < ATTEMPTS_MAX) throw err
      log.warn({ err, workspaceId, operatorId }, 'the mail of an invitation was not accepted; it is not sent again')
    }
    await db.run(FINISH_INVITATION_MAIL, [workspaceId, operatorId, mail.mailId])
    return 'done'
  }

  const worker = startWorker(kernel, INVITATION_MAILS, work)
  return {
    worker,
    async add(session: Session, workspaceId: WorkspaceId, operatorId: string, secret: string): Promise<void> {
      const linkSealed = sealer.seal(secret, contextOf({ workspaceId, operatorId }))
      await session.runSet(ADD_INVITATION_MAIL, [{ workspaceId, operatorId, linkSealed }])
      worker.wake()
    },
  }
}
