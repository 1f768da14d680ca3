/** Mail: a follower of events asks for it, the queue sends it, a sweep finds what was left behind (rules/events.md#mail). */
import { randomUUID } from 'node:crypto'
import type { DataOf, ResultOf } from '#contract/operation.ts'
import type { testEmailConfig } from '#contract/service-configs.ts'
import type { Session } from '#platform/db/db.ts'
import type { Backlog } from '#platform/jobs.ts'
import { repeat } from '#platform/repeat.ts'
import { credentialsInvalid, StatusError } from '#platform/status-error.ts'
import { type SweepDeps, startSweep } from '#platform/sweep.ts'
import type { Caller } from '#tenancy/callers/caller.ts'
import { type FeedEvent, followEvents } from '#tenancy/events/feed.ts'
import { testContent } from './content.ts'
import { createDelivery, type DeliveryDeps, MAIL_QUEUES } from './delivery.ts'
import { Refused } from './message.ts'
import {
  ADD_MAILS,
  COUNT_WAITING,
  FORGET_MAILS,
  GET_KEY,
  TAKE_ABANDONED_SENDGRID,
  TAKE_ABANDONED_SMTP,
} from './statements.ts'
import { wantedOf } from './wanted.ts'

const FOLLOW_INTERVAL_MS = 1_000

const FORGET_INTERVAL_MS = 10 * 60_000

export type MailDeps = SweepDeps & DeliveryDeps

export type Mail = Awaited<ReturnType<typeof startMail>>

/** Takes up the queues and starts the sweeps and the follower. */
export async function startMail(deps: MailDeps) {
  const { db, jobs, log, smtp } = deps
  const delivery = createDelivery(deps)
  for (const queue of Object.values(MAIL_QUEUES)) await jobs.work(queue, delivery.deliver)

  async function addMails(session: Session, batches: readonly { events: readonly FeedEvent[] }[]): Promise<void> {
    const telling = batches.flatMap(({ events }) =>
      events.flatMap((event) => {
        const { apiKeyId, stream, sequence } = event
        const wanted = wantedOf(event)
        return wanted === undefined ? [] : [{ apiKeyId, stream, sequence, hasSmtp: smtp !== undefined, ...wanted }]
      }),
    )
    if (telling.length === 0) return
    const added = await session.runSet(ADD_MAILS, telling)
    for (const carrier of ['smtp', 'sendgrid'] as const) {
      const mails = added.filter((mail) => mail.carrier === carrier)
      await jobs.enqueueAll(
        session,
        MAIL_QUEUES[carrier],
        mails.map(({ mailId }) => ({ payload: { mailId }, key: mailId })),
      )
    }
  }

  async function forget(stopping: AbortSignal): Promise<void> {
    while (!stopping.aborted && ((await db.run(FORGET_MAILS))[0]?.count ?? 0) > 0);
  }
  const stops = [
    startSweep(deps, MAIL_QUEUES.smtp, TAKE_ABANDONED_SMTP, ({ mailId }) => mailId),
    startSweep(deps, MAIL_QUEUES.sendgrid, TAKE_ABANDONED_SENDGRID, ({ mailId }) => mailId),
    repeat(forget, { everyMs: FORGET_INTERVAL_MS, log, failure: 'old mails could not be removed; it is tried again' }),
    followEvents(deps, 'mail', addMails, { intervalMs: FOLLOW_INTERVAL_MS }),
  ]

  return {
    /** Sends a mail to the owner of the key now, and says what came of it. Nothing of it is stored. */
    async test({ apiKeyId }: Caller, _data: DataOf<typeof testEmailConfig>): Promise<ResultOf<typeof testEmailConfig>> {
      const [key] = await db.run(GET_KEY, [apiKeyId])
      if (key === undefined) throw credentialsInvalid()
      if (key.config.type !== 'sendgrid' && smtp === undefined) throw noMailServer()
      const recipient = key.ownerEmail
      try {
        const answer = await delivery.handOver(key, recipient, testContent(key.apiKeyName), randomUUID())
        return { accepted: true, recipient, answer }
      } catch (error) {
        if (error instanceof Refused) return { accepted: false, recipient, answer: error.message }
        log.warn({ err: error, apiKeyId }, 'a test mail could not be handed over')
        return { accepted: false, recipient, answer: UNREACHABLE }
      }
    },

    /** What is not sent yet. */
    async backlog(): Promise<Backlog[]> {
      const rows = await db.run(COUNT_WAITING)
      return rows.map(({ carrier, ...waiting }) => ({ labels: { carrier }, ...waiting }))
    },

    async stop(): Promise<void> {
      await Promise.all(stops.map((stop) => stop()))
    },
  }
}

/** More is for the operator alone: it names machines. */
const UNREACHABLE = 'The mail server could not be used; the reason is in the log of the installation.'

const noMailServer = () =>
  new StatusError(
    'FAILED_PRECONDITION',
    'mail_server_missing',
    'The installation has no mail server (SMTP_URL); set emailServiceConfig.type to a provider.',
  )
