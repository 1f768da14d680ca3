/** Mails of the installation itself, which belong to no API key, through its own mail server. */

import { randomUUID } from 'node:crypto'
import { isMailAddress } from '#contract/core/addresses.ts'
import type { Kernel } from '#kernel'
import { type Message, undeliverable } from './carriers/message.ts'
import { createSmtp } from './carriers/smtp.ts'
import { createConfirmation } from './confirmation.ts'
import type { Content } from './content.ts'

/**
 * Returns a function that sends a mail to an owner now, once; undefined without a mail server. It throws if the mail is
 * not accepted, and with `MAIL_CONFIRM_OWNERS` until the owner has confirmed the address. Only after that check is the
 * mail written. With `mailId`, which is the same in all attempts, receivers can drop duplicates.
 */
export function createInstallationMail({ config, db, sealer, publicUrl }: Kernel) {
  const { SMTP_URL: url, MAIL_FROM: from } = config
  if (url === undefined || from === undefined) return undefined
  const { send: handOver } = createSmtp({ url, from })
  const confirmation = createConfirmation({ db, sealer, publicUrl, isRequired: config.MAIL_CONFIRM_OWNERS })
  const domain = from.split('@')[1]
  return async (
    to: string,
    write: () => Content | Promise<Content>,
    { mailId, ...more }: Pick<Message, 'headers' | 'commit'> & { mailId?: string } = {},
  ): Promise<void> => {
    if (!isMailAddress(to)) throw undeliverable('The address of the owner cannot get mail.')
    const send = (content: Content, id: string = randomUUID(), more: Pick<Message, 'headers' | 'commit'> = {}) =>
      handOver({
        id: `<${id}@${domain}>`,
        to,
        fromEmail: '',
        fromCompany: '',
        content,
        templateId: '',
        ...more,
      })
    await confirmation.require(to, (question) => send(question))
    await send(await write(), mailId, more)
  }
}
