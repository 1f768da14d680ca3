/** Sends mails, at least once each. Temporary failures are tried again for a day. */

import { randomUUID } from 'node:crypto'
import { isMailAddress } from '#contract/core/addresses.ts'
import type { Db } from '#platform/db/db.ts'
import type { JobResult } from '#platform/jobs/worker.ts'
import type { Log } from '#platform/log.ts'
import type { Sealer } from '#platform/secrets/seal.ts'
import { apiKeySealContext } from '#tenancy/writes/api-key.ts'
import type { Confirmation } from './confirmation.ts'
import { type Content, contentOf, type Facts, ITEMS_MAX, itemOf } from './content.ts'
import { GET_REPORTED_EVENTS, GET_USER_NAME, type ReportedEvent } from './content-statements.ts'
import { answerOf, type Message, Refused, undeliverable } from './message.ts'
import { createSendGrid } from './sendgrid.ts'
import { createSmtp, type SmtpServer } from './smtp.ts'
import {
  type Carrier,
  FINISH_MAIL,
  GET_MAIL,
  HAD_ENOUGH,
  type KeyRow,
  type MailJob,
  type MailRow,
  SET_MAIL_ERROR,
} from './statements.ts'
import { line } from './text.ts'

export interface DeliveryDeps {
  db: Db
  sealer: Sealer
  log: Log
  smtp: SmtpServer | undefined
  sendGridUrl: string
  /** How many mails an address gets in an hour through the installation's server; 0: no limit. */
  mailsPerRecipient: number
  confirmation: Confirmation
  /** Called for each attempt to hand over a mail. */
  observe: (carrier: Carrier, outcome: 'sent' | 'failed' | 'refused') => void
}

/** Returns the events in their order. Of several events of one invitation, which may have been renewed, only the last is returned. */
const withoutRepeats = (events: readonly ReportedEvent[]): ReportedEvent[] =>
  events.filter(
    ({ invitationId }, index) =>
      invitationId === null || events.findLastIndex((other) => other.invitationId === invitationId) === index,
  )

/** The carrier that the settings of the key name now. */
const carrierOf = ({ config }: Pick<KeyRow, 'config'>): Carrier => (config.type === 'sendgrid' ? 'sendgrid' : 'smtp')

export function createDelivery({
  db,
  sealer,
  log,
  smtp,
  sendGridUrl,
  mailsPerRecipient,
  confirmation,
  observe,
}: DeliveryDeps) {
  const throughSmtp = smtp === undefined ? undefined : createSmtp(smtp)
  const throughSendGrid = createSendGrid(sendGridUrl)
  const domain = smtp?.from.split('@')[1] ?? 'commonhold.invalid'

  /** Hands a mail to the key's current carrier; returns the carrier's response. */
  async function handOver(
    key: KeyRow,
    mail: Pick<Message, 'to' | 'content' | 'templateId' | 'facts'>,
    id: string,
  ): Promise<string> {
    const { fromEmail = '', fromCompany = '' } = key.config
    const message = { ...mail, id: `<${id}@${domain}>`, fromEmail, fromCompany: line(fromCompany) }
    if (!isMailAddress(mail.to)) throw undeliverable('The address of the recipient is none.')
    if (fromEmail !== '' && !isMailAddress(fromEmail))
      throw undeliverable('emailServiceConfig.fromEmail is no address that mail can come from.')
    if (carrierOf(key) === 'smtp') {
      if (throughSmtp === undefined) throw undeliverable('The installation has no mail server (SMTP_URL).')
      return throughSmtp(message)
    }
    if (key.sealed === null) throw undeliverable('emailServiceConfig.apiKey is not set.')
    if (fromEmail === '') throw undeliverable('emailServiceConfig.fromEmail is not set.')
    const providerKey = sealer.open(key.sealed, apiKeySealContext('email_service_key_sealed', key.apiKeyId))
    return throughSendGrid(message, providerKey)
  }

  /** Throws unless the owner of a key may be sent mail through the installation's server. */
  async function requireOwner(key: KeyRow, to: string): Promise<void> {
    if (carrierOf(key) !== 'smtp' || throughSmtp === undefined || !isMailAddress(to)) return // refused for that later
    const question = { id: `<${randomUUID()}@${domain}>`, to, fromEmail: '', fromCompany: '', templateId: '' }
    await confirmation.require(to, (content) => throughSmtp({ ...question, content }))
  }

  /** Puts off a mail to an address that has had enough of them. */
  async function requireQuota(recipient: string): Promise<void> {
    if (mailsPerRecipient === 0) return
    const [recent] = await db.run(HAD_ENOUGH, [recipient, mailsPerRecipient])
    if (recent?.enough) throw new Refused('The recipient has had too many mails in an hour; it is sent later.', false)
  }

  async function factsOf(mail: MailRow): Promise<Facts> {
    const { apiKeyId, apiKeyName, kind, userId, stream, sequences, config } = mail
    const found = await db.run(GET_REPORTED_EVENTS, [stream, sequences, userId, ITEMS_MAX])
    const events = withoutRepeats(found)
    const [first] = events
    if (first === undefined) throw undeliverable('The events that it reports no longer exist, or the user is disabled.')
    const [user] = userId === null ? [] : await db.run(GET_USER_NAME, [apiKeyId, userId])
    const organizationId = line(first.organizationId ?? '')
    return {
      kind,
      apiKeyName: line(apiKeyName),
      company: line(config.fromCompany ?? ''),
      userName: line(user?.name ?? ''),
      organization: { id: organizationId, name: line(first.organizationName ?? '') || organizationId },
      items: events.map(itemOf),
      more: Math.max(0, sequences.length - found.length),
    }
  }

  return {
    /** Sends a mail that is not finished, and records the result. */
    async deliver({ mailId }: MailJob): Promise<JobResult> {
      const [mail] = await db.run(GET_MAIL, [mailId])
      if (mail === undefined) return 'done'
      try {
        if (!mail.useEmailService) throw undeliverable('The e-mail service of the API key was switched off.')
        if (carrierOf(mail) === 'smtp') await requireQuota(mail.recipient)
        if (mail.userId === null) await requireOwner(mail, mail.recipient)
        const facts = await factsOf(mail)
        const templateId = mail.config.templateIds?.[mail.kind] ?? ''
        await handOver(mail, { to: mail.recipient, content: contentOf(facts), templateId, facts }, mailId)
        await db.run(FINISH_MAIL, [mailId, null])
        observe(carrierOf(mail), 'sent')
        return 'done'
      } catch (error) {
        const isRefused = error instanceof Refused
        observe(carrierOf(mail), isRefused ? 'refused' : 'failed')
        const isFinal = mail.overdue || (isRefused && error.isFinal)
        const said = answerOf(error instanceof Error ? error.message : String(error))
        const about = { mailId, apiKeyId: mail.apiKeyId, isFinal }
        if (isRefused) log.info(about, 'a mail was refused; its row in the table mails says why')
        else log.warn({ ...about, err: error }, 'a mail could not be handed over')
        await db.run(isFinal ? FINISH_MAIL : SET_MAIL_ERROR, [mailId, said])
        return isFinal ? 'done' : 'failed'
      }
    },

    /** Sends a mail to the owner of a key now. */
    async handOver(key: KeyRow, to: string, content: Content, id: string): Promise<string> {
      await requireOwner(key, to)
      return handOver(key, { to, content, templateId: '' }, id)
    },
  }
}
