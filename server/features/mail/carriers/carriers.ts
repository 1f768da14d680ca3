/** Hands mails to the carrier that the settings of their API key name: the installation's SMTP server, or SendGrid. */
import { randomUUID } from 'node:crypto'
import { isMailAddress } from '#contract/core/addresses.ts'
import type { Sealer } from '#platform/secrets/seal.ts'
import { apiKeySealContext } from '#tenancy/writes/api-key.ts'
import type { Confirmation } from '../confirmation.ts'
import type { Carrier, KeyRow } from '../statements.ts'
import { line } from '../text.ts'
import { type Message, undeliverable } from './message.ts'
import { createSendGrid } from './sendgrid.ts'
import { createSmtp, type SmtpServer } from './smtp.ts'

export interface CarrierDeps {
  sealer: Sealer
  /** The installation's server; undefined: it has none. */
  smtp: SmtpServer | undefined
  sendGridUrl: string
  confirmation: Confirmation
}

/** Mail servers accept few connections from one sender; some mails are read and written while others are sent. */
export const CONNECTIONS_MAX = 20

/** The carrier that the settings of the key name now. */
export const carrierOf = ({ config }: Pick<KeyRow, 'config'>): Carrier =>
  config.type === 'sendgrid' ? 'sendgrid' : 'smtp'

export function createCarriers({ sealer, smtp, sendGridUrl, confirmation }: CarrierDeps) {
  const smtpPool = smtp === undefined ? undefined : createSmtp(smtp, CONNECTIONS_MAX)
  const throughSmtp = smtpPool?.send
  const throughSendGrid = createSendGrid(sendGridUrl)
  const domain = smtp?.from.split('@')[1] ?? 'commonhold.invalid'

  return {
    /** The domain of the ids of mails. */
    domain,

    /** Hands a mail to the key's current carrier; returns the carrier's response. */
    async handOver(key: KeyRow, mail: Omit<Message, 'id' | 'fromEmail' | 'fromCompany'>, id: string): Promise<string> {
      const { fromEmail = '', fromCompany = '' } = key.config
      const message = { ...mail, id: `<${id}@${domain}>`, fromEmail, fromCompany: line(fromCompany) }
      if (!isMailAddress(mail.to)) throw undeliverable('The address of the recipient cannot get mail.')
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
    },

    /** Throws unless the owner of a key may be sent mail through the installation's server. */
    async requireOwner(key: KeyRow, to: string): Promise<void> {
      if (carrierOf(key) !== 'smtp' || throughSmtp === undefined || !isMailAddress(to)) return // refused for that later
      const question = { id: `<${randomUUID()}@${domain}>`, to, fromEmail: '', fromCompany: '', templateId: '' }
      await confirmation.require(to, (content) => throughSmtp({ ...question, content }))
    },

    /** Closes the connections that are kept. */
    close: () => smtpPool?.close(),
  }
}
