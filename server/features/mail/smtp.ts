/**
 * Sends mails through the server of `SMTP_URL`, in the name of the installation: the sender that a key names gets the replies,
 * and its company is marked as somebody else's, because anybody can choose any name.
 */
import { createTransport } from 'nodemailer'
import { answerOf, type Message, Refused } from './message.ts'

export interface SmtpServer {
  url: string
  from: string
}

/** A server that does not respond occupies a worker no longer than this. */
const TIMEOUTS = { dnsTimeout: 5_000, connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 }
const ATTEMPT_MS = 40_000

/** A refusal of one of these commands is about the mail, not about us. */
const OF_THE_MAIL = ['MAIL FROM', 'RCPT TO', 'DATA']

export function createSmtp({ url, from }: SmtpServer) {
  const domain = from.slice(from.lastIndexOf('@') + 1)
  const transport = createTransport({ url, ...TIMEOUTS, disableFileAccess: true, disableUrlAccess: true })

  /** Returns the server's response. */
  return async ({ id, to, fromEmail, fromCompany, content }: Message): Promise<string> => {
    try {
      const { response } = await transport.sendMail({
        messageId: id,
        from: { name: fromCompany === '' ? '' : `${fromCompany} via ${domain}`, address: from },
        to: { name: '', address: to },
        envelope: { from, to: [to] },
        ...(fromEmail === '' ? {} : { replyTo: { name: fromCompany, address: fromEmail } }),
        ...content,
        headers: { 'Auto-Submitted': 'auto-generated' },
        signal: AbortSignal.timeout(ATTEMPT_MS),
      })
      return answerOf(response)
    } catch (error) {
      const { message, responseCode, command = '' } = error as Error & { responseCode?: number; command?: string }
      if (responseCode === undefined || !OF_THE_MAIL.includes(command)) throw error
      throw new Refused(answerOf(message), responseCode >= 500)
    }
  }
}
