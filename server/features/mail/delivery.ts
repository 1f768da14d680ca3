/** Sends mails, at least once each: what failed for the moment is tried again by the queue, for a day. */
import type { Db } from '#platform/db/db.ts'
import type { Queue } from '#platform/jobs.ts'
import type { Log } from '#platform/log.ts'
import type { Sealer } from '#platform/seal.ts'
import { apiKeySealContext } from '#tenancy/writes/api-key.ts'
import { type Content, contentOf, type Facts, TOLD_MAX, toldOf } from './content.ts'
import { answerOf, type Message, Refused, undeliverable } from './message.ts'
import { createSendGrid } from './sendgrid.ts'
import { createSmtp, type SmtpServer } from './smtp.ts'
import {
  type Carrier,
  FINISH_MAIL,
  GET_TOLD,
  GET_USER_NAME,
  type KeyRow,
  type MailJob,
  type MailRow,
  POSTPONE_MAIL,
  TAKE_MAIL,
} from './statements.ts'
import { isAddress, line } from './text.ts'

/** Two seconds after the first failure, then twice as long each time, at most ten minutes: more often than a day has room for. */
const retries = { limit: 200, delaySeconds: 2, delayMaxSeconds: 600 }

/** What happens within this time to one person in one organization becomes one mail. */
const delaySeconds = 4

/** One for each carrier: what waits for a server that does not answer holds up nothing else. */
export const MAIL_QUEUES = {
  smtp: { name: 'mails-smtp', delaySeconds, retries },
  sendgrid: { name: 'mails-sendgrid', delaySeconds, retries },
} as const satisfies Record<string, Queue<MailJob>>

export interface DeliveryDeps {
  db: Db
  sealer: Sealer
  log: Log
  smtp: SmtpServer | undefined
  sendGridUrl: string
  /** Is told of each attempt to hand over a mail. */
  observe: (carrier: Carrier, outcome: 'sent' | 'failed' | 'refused') => void
}

/** What a mail of this key goes through now. */
const carrierOf = ({ config }: Pick<KeyRow, 'config'>): Carrier => (config.type === 'sendgrid' ? 'sendgrid' : 'smtp')

export function createDelivery({ db, sealer, log, smtp, sendGridUrl, observe }: DeliveryDeps) {
  const throughSmtp = smtp === undefined ? undefined : createSmtp(smtp)
  const throughSendGrid = createSendGrid(sendGridUrl)
  const domain = smtp?.from.split('@')[1] ?? 'commonhold.invalid'

  /** Hands a mail to the carrier that the key has now; answers what that said. */
  async function handOver(
    key: KeyRow,
    mail: Pick<Message, 'to' | 'content' | 'templateId' | 'facts'>,
    id: string,
  ): Promise<string> {
    const { fromEmail = '', fromCompany = '' } = key.config
    const message = { ...mail, id: `<${id}@${domain}>`, fromEmail, fromCompany: line(fromCompany) }
    if (!isAddress(mail.to)) throw undeliverable('The address of the recipient is none.')
    if (fromEmail !== '' && !isAddress(fromEmail))
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

  async function factsOf(mail: MailRow): Promise<Facts> {
    const { apiKeyId, apiKeyName, kind, userId, stream, sequences, config } = mail
    const told = await db.run(GET_TOLD, [stream, sequences, userId, TOLD_MAX])
    const [first] = told
    if (first === undefined) throw undeliverable('What it would tell of is not known any more.')
    const [user] = userId === null ? [] : await db.run(GET_USER_NAME, [apiKeyId, userId])
    const organizationId = line(first.organizationId ?? '')
    return {
      kind,
      apiKeyName: line(apiKeyName),
      company: line(config.fromCompany ?? ''),
      userName: line(user?.name ?? ''),
      organization: { id: organizationId, name: line(first.organizationName ?? '') || organizationId },
      items: told.map(toldOf),
      more: Math.max(0, sequences.length - told.length),
    }
  }

  return {
    /** Sends a mail that is not finished, and notes what became of it. */
    async deliver({ mailId }: MailJob): Promise<void> {
      const [mail] = await db.run(TAKE_MAIL, [mailId])
      if (mail === undefined) return
      try {
        if (!mail.useEmailService) throw undeliverable('The e-mail service of the API key was switched off.')
        const facts = await factsOf(mail)
        const templateId = mail.config.templateIds?.[mail.kind] ?? ''
        await handOver(mail, { to: mail.recipient, content: contentOf(facts), templateId, facts }, mailId)
        await db.run(FINISH_MAIL, [mailId, null])
        observe(carrierOf(mail), 'sent')
      } catch (error) {
        const isRefused = error instanceof Refused
        observe(carrierOf(mail), isRefused ? 'refused' : 'failed')
        const isFinal = mail.overdue || (isRefused && error.isFinal)
        const said = answerOf(error instanceof Error ? error.message : String(error))
        const about = { mailId, apiKeyId: mail.apiKeyId, isFinal }
        if (isRefused) log.info(about, 'a mail was refused; its row in the table mails says why')
        else log.warn({ ...about, err: error }, 'a mail could not be handed over')
        await db.run(isFinal ? FINISH_MAIL : POSTPONE_MAIL, [mailId, said])
        if (!isFinal) throw new Error('the mail was not sent')
      }
    },

    handOver: (key: KeyRow, to: string, content: Content, id: string) =>
      handOver(key, { to, content, templateId: '' }, id),
  }
}
