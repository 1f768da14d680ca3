/** Sends mails, at least once each. Temporary failures are tried again for a day. */

import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { MailKind } from '#contract/keys/service-configs.ts'
import type { wordsOf } from '#features/comments/shared.ts'
import type { Db } from '#platform/db/db.ts'
import { toStatusError } from '#platform/db/pg-errors.ts'
import type { Claimed } from '#platform/jobs/leased-rows.ts'
import type { JobResult } from '#platform/jobs/worker.ts'
import type { Log } from '#platform/log.ts'
import { Coalescer } from '#platform/queues/coalesce.ts'
import { type CarrierDeps, carrierOf, createCarriers } from './carriers/carriers.ts'
import { answerOf, Refused, Unreached, undeliverable } from './carriers/message.ts'
import { createConversationHeaders } from './comments/conversation.ts'
import { Changed, createDigests, Taken } from './comments/digests.ts'
import type { SubscriptionLinks } from './comments/links.ts'
import { type Content, contentOf } from './content.ts'
import { createRecipientLimit, type Sending } from './limits.ts'
import { factsOf } from './reported-facts.ts'
import {
  type Carrier,
  FAIL_MAIL,
  FINISH_MAIL,
  GET_MAILS,
  KEEP_MAIL,
  type KeyRow,
  MARK_SECONDS,
  type MailJob,
  type MailRow,
  SET_MAIL_ERROR,
} from './statements.ts'

export interface DeliveryDeps extends CarrierDeps {
  db: Db
  log: Log
  /** How many mails an address gets in an hour through the installation's server; 0: no limit. */
  mailsPerRecipient: number
  links: SubscriptionLinks
  words: ReturnType<typeof wordsOf>
  /** Called for each attempt to hand over a mail. */
  observe: (carrier: Carrier, outcome: 'sent' | 'failed' | 'refused') => void
}

type Job = Claimed<MailJob>

const PERSIST_MS = 500

/**
 * Repeats a write until the database takes it, for as long as a mark is kept. The mark of a mail may have been stored
 * although nothing was sent: if the failure could not be recorded, the mail would count as sent.
 */
async function persist(write: () => Promise<void>): Promise<void> {
  const end = performance.now() + MARK_SECONDS * 1_000
  for (;;)
    try {
      return await write()
    } catch (error) {
      if (toStatusError(error) === undefined || performance.now() > end) throw error
      await sleep(PERSIST_MS, undefined, { ref: false })
    }
}

/** A mail was sent, and the database does not know. */
class Unrecorded extends Error {}

const UNCONFIRMED = 'The server had all of the mail and has not confirmed it; it is not sent again.'

/** The number of mails on which a process works at the same time for each carrier: their reads and writes are joined. */
export const MAILS_CONCURRENT = 40

export function createDelivery({ db, log, mailsPerRecipient, links, words, observe, ...deps }: DeliveryDeps) {
  const { domain, handOver, requireOwner, close } = createCarriers(deps)
  const conversation = createConversationHeaders(deps.sealer, domain)
  const digests = createDigests({ db, conversation, links, words })

  const recipients = createRecipientLimit(mailsPerRecipient)

  const coalescer = new Coalescer<MailJob, MailRow | undefined>({
    name: 'mails.get',
    rows: () => 1,
    lane: (_, tenant) => tenant,
    idempotent: true,
    async execute(jobs) {
      const rows = await db.runSet(
        GET_MAILS,
        jobs.map(({ mailId }) => ({ mailId, mailsPerRecipient })),
      )
      const byId = new Map(rows.map((row) => [row.mailId, row]))
      return jobs.map(({ mailId }) => byId.get(mailId))
    },
  })

  /** Sends a mail about events, unless another server has claimed it meanwhile. */
  async function sendReport(job: Job, mail: MailRow, kind: MailKind): Promise<void> {
    const { mailId } = job
    if (mail.userId === null) await requireOwner(mail, mail.recipient)
    const facts = await factsOf(db, mail, kind)
    const templateId = mail.config.templateIds?.[kind] ?? ''
    const commit = async () => {
      const kept = await db.run(KEEP_MAIL, [mailId, job.claims, mail.settingsHash, mail.recipient])
      if (kept.length === 0)
        throw new Changed('its address or the settings of its key have changed, or another server sends it')
      if (!isDeepStrictEqual(await factsOf(db, mail, kind), facts)) throw new Changed('what it reports has changed')
    }
    const message = { to: mail.recipient, content: contentOf(facts), templateId, variables: facts, commit }
    await handOver(mail, message, mailId)
    await db.run(FINISH_MAIL, [mailId])
  }

  /**
   * Sends a mail about comments, unless a mail server may already have it. Returns false if no comment is left for the
   * mail. If the connection is lost after the mail was handed over, the result is unknown: the mail counts as sent,
   * because it must not be sent twice.
   */
  async function sendDigest(job: Job, mail: MailRow): Promise<boolean> {
    const { mailId } = job
    if (mail.isHandedOver) {
      await digests.finishUnconfirmed(mailId, mail, UNCONFIRMED)
      return true
    }
    let isHandedOver = false
    const prepared = await digests.prepare(job, mail, () => {
      isHandedOver = true
    })
    if (prepared.message === undefined) {
      await digests.drop(job, mail, prepared)
      return false
    }
    // The limit of the address was asked about the one that was read before.
    if (prepared.message.to !== mail.recipient) throw new Changed('the address has changed')
    try {
      await handOver(mail, prepared.message, mailId)
    } catch (error) {
      if (!isHandedOver || error instanceof Refused || error instanceof Unreached) throw error
      log.warn({ err: error, mailId, apiKeyId: mail.apiKeyId }, 'a mail was handed over, and not confirmed')
      await digests.finishUnconfirmed(mailId, mail, UNCONFIRMED)
      return true
    }
    // If this fails, the mail is not sent again: whoever takes it up sees that it was handed over.
    await digests.finish(mailId, mail, prepared).catch((cause: unknown) => {
      throw new Unrecorded('a mail was sent, and this could not be recorded', { cause })
    })
    return true
  }

  async function recordFailure(job: Job, mail: MailRow, said: string, isFinal: boolean): Promise<void> {
    if (isFinal && mail.kind === 'comment') await digests.fail(job, mail, said)
    else await db.run(isFinal ? FAIL_MAIL : SET_MAIL_ERROR, [job.mailId, job.claims, said])
  }

  async function attempt(job: Job, own: Sending): Promise<JobResult> {
    const { mailId, tenant = '' } = job
    const mail = await coalescer.run({ mailId }, tenant)
    if (mail === undefined) return 'done'
    const { kind } = mail
    try {
      if (!mail.useEmailService) throw undeliverable('The e-mail service of the API key was switched off.')
      // Users of a disabled key can open nothing. Its owner still learns what happens to it.
      if (mail.isDisabled && mail.userId !== null)
        throw new Refused('The API key is disabled; it is sent later.', false)
      // Nobody is flooded through the server that all tenants share. The mail waits until the address has had fewer in an hour.
      const isLimited = carrierOf(mail) === 'smtp' && mail.recipient !== ''
      if (isLimited && !recipients.admit(own, mail.recipient, mail.sentToRecipient))
        throw new Refused('The recipient has had too many mails in an hour; it is sent later.', false)
      if (kind === 'comment') {
        if (!(await sendDigest(job, mail))) return 'done'
      } else await sendReport(job, mail, kind)
      observe(carrierOf(mail), 'sent')
      return 'done'
    } catch (error) {
      if (error instanceof Taken) return 'done'
      if (error instanceof Changed) return 'again'
      if (error instanceof Unrecorded) {
        log.warn({ err: error, mailId, apiKeyId: mail.apiKeyId }, error.message)
        return 'failed'
      }
      const isRefused = error instanceof Refused
      observe(carrierOf(mail), isRefused ? 'refused' : 'failed')
      const isFinal = mail.overdue || (isRefused && error.isFinal)
      const said = answerOf(error instanceof Error ? error.message : String(error))
      const about = { mailId, apiKeyId: mail.apiKeyId, isFinal }
      if (isRefused) log.info(about, 'a mail was refused; its row in the table mails says why')
      else log.warn({ ...about, err: error }, 'a mail could not be handed over')
      if (kind === 'comment') await persist(() => recordFailure(job, mail, said, isFinal))
      else await recordFailure(job, mail, said, isFinal)
      return isFinal ? 'done' : 'failed'
    }
  }

  return {
    /** Sends a mail that is not finished, and records the result. */
    async deliver(job: Job): Promise<JobResult> {
      const own = recipients.begin()
      return attempt(job, own).finally(() => recipients.end(own))
    },

    /** Sends a mail to the owner of a key now. */
    async handOver(key: KeyRow, to: string, content: Content, id: string): Promise<string> {
      await requireOwner(key, to)
      return handOver(key, { to, content, templateId: '' }, id)
    },

    /** Closes the connections to mail servers. */
    close,
  }
}
