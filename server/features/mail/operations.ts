/** Mail: a follower of events adds mails about events, a worker adds mails about comments, and workers send them (rules/events.md#mail). */
import { randomUUID } from 'node:crypto'
import type { DataOf, ResultOf } from '#contract/core/operation.ts'
import type { testEmailConfig } from '#contract/keys/service-configs.ts'
import type { Session } from '#platform/db/db.ts'
import { deleteOld } from '#platform/jobs/old-rows.ts'
import { repeatLater } from '#platform/jobs/repeat.ts'
import type { Backlog } from '#platform/jobs/worker.ts'
import { startWorker, type WorkerDeps } from '#platform/jobs/worker.ts'
import { credentialsInvalid, StatusError } from '#platform/status-error.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { type FeedEvent, followEvents } from '#tenancy/events/feed.ts'
import { Refused } from './carriers/message.ts'
import { createCollect } from './comments/collect.ts'
import { MAILING_JOBS, type MailingJob } from './comments/collect-statements.ts'
import { DELETE_OLD_RESULTS } from './comments/result-statements.ts'
import { testContent } from './content.ts'
import { createDelivery, type DeliveryDeps, MAILS_CONCURRENT } from './delivery.ts'
import { createTestLimit } from './limits.ts'
import { ADD_MAILS } from './report-statements.ts'
import { reportOf } from './reports.ts'
import { COUNT_WAITING, DELETE_OLD_MAILS, GET_KEY, SENDGRID_JOBS, SMTP_JOBS } from './statements.ts'

const FOLLOW_INTERVAL_MS = 1_000

const CLEAN_INTERVAL_MS = 10 * 60_000

export type MailDeps = WorkerDeps & DeliveryDeps

/** Starts the workers, the follower, and the deletion of old mails. */
export function startMail(deps: MailDeps) {
  const { db, log, smtp } = deps
  const delivery = createDelivery(deps)
  const countTest = createTestLimit()
  const carriers = [SMTP_JOBS, SENDGRID_JOBS].map((jobs) => startWorker(deps, jobs, delivery.deliver, MAILS_CONCURRENT))
  const collect = createCollect(db, smtp !== undefined)
  const collectAndSend = async (job: MailingJob) => {
    const result = await collect(job)
    for (const carrier of carriers) carrier.wake()
    return result
  }
  const workers = [...carriers, startWorker(deps, MAILING_JOBS, collectAndSend)]

  async function addMails(session: Session, batches: readonly { events: readonly FeedEvent[] }[]): Promise<void> {
    const reports = batches.flatMap(({ events }) =>
      events.flatMap((event) => {
        const { apiKeyId, stream, sequence } = event
        const report = reportOf(event)
        return report === undefined ? [] : [{ apiKeyId, stream, sequence, hasSmtp: smtp !== undefined, ...report }]
      }),
    )
    if (reports.length > 0) await session.runSet(ADD_MAILS, reports)
  }

  async function deleteFinished(stopping: AbortSignal): Promise<void> {
    for (const finished of [DELETE_OLD_MAILS, DELETE_OLD_RESULTS]) await deleteOld(db, finished, stopping)
  }
  const stops = [
    ...workers.map((worker) => worker.stop),
    repeatLater(deleteFinished, {
      everyMs: CLEAN_INTERVAL_MS,
      log,
      failure: 'old mails could not be deleted; it is tried again',
    }),
    followEvents(deps, 'mail', addMails, { intervalMs: FOLLOW_INTERVAL_MS }),
  ]

  return {
    /** Sends a mail to the owner of the key now, and returns the result. Nothing is stored. */
    async test(
      { apiKeyId, workspaceId }: Caller,
      _data: DataOf<typeof testEmailConfig>,
    ): Promise<ResultOf<typeof testEmailConfig>> {
      const [key] = await db.run(GET_KEY, [apiKeyId])
      if (key === undefined) throw credentialsInvalid()
      if (key.config.type !== 'sendgrid' && smtp === undefined) throw noMailServer()
      const recipient = key.ownerEmail
      await countTest(workspaceId, recipient)
      try {
        const answer = await delivery.handOver(key, recipient, testContent(key.apiKeyName), randomUUID())
        return { accepted: true, recipient, answer }
      } catch (error) {
        if (error instanceof Refused) return { accepted: false, recipient, answer: error.message }
        log.warn({ err: error, apiKeyId }, 'a test mail could not be handed over')
        return { accepted: false, recipient, answer: UNREACHABLE }
      }
    },

    workers,

    /** Mails that are not sent yet. */
    async backlog(): Promise<Backlog[]> {
      const rows = await db.run(COUNT_WAITING)
      return rows.map(({ carrier, ...waiting }) => ({ labels: { carrier }, ...waiting }))
    },

    async stop(): Promise<void> {
      await Promise.all(stops.map((stop) => stop()))
      delivery.close()
    },
  }
}

/** Details are for the operator alone: they name machines. */
const UNREACHABLE = 'The mail server could not be used; the reason is in the log of the installation.'

const noMailServer = () =>
  new StatusError(
    'FAILED_PRECONDITION',
    'mail_server_missing',
    'The installation has no mail server (SMTP_URL); set emailServiceConfig.type to a provider.',
  )
