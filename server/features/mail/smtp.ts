/**
 * Sends mails through the server of `SMTP_URL`, in the name of the installation: the sender that a key names gets the replies,
 * and its company is marked as somebody else's, because anybody can choose any name.
 */
import { Readable } from 'node:stream'
import { createTransport } from 'nodemailer'
import { isMailAddress } from '#contract/core/addresses.ts'
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
  transport.use('stream', ({ data, message }, done) => {
    const { commit } = data as { commit?: () => Promise<void> }
    if (commit !== undefined) {
      // The mail is read only once the server waits for it: a stream that is connected earlier ends before.
      const read = message.createReadStream.bind(message)
      message.createReadStream = () => Readable.from(endingAfter(commit, read), { objectMode: false })
    }
    done()
  })

  /** Returns the server's response. */
  return async ({ id, to, fromEmail, fromCompany, content, actor, headers, commit }: Message): Promise<string> => {
    const company = fromCompany === '' ? domain : fromCompany
    const sender =
      actor === undefined ? (fromCompany === '' ? '' : `${company} via ${domain}`) : senderName(actor, company)
    const repliesTo =
      actor !== undefined && isMailAddress(actor.email)
        ? { name: actor.name, address: actor.email }
        : { name: fromCompany, address: fromEmail }
    try {
      const { response } = await transport.sendMail({
        messageId: id,
        from: { name: sender, address: from },
        to: { name: '', address: to },
        envelope: { from, to: [to] },
        ...(repliesTo.address === '' ? {} : { replyTo: repliesTo }),
        ...content,
        headers: { 'Auto-Submitted': 'auto-generated', ...headers },
        signal: AbortSignal.timeout(ATTEMPT_MS),
        ...(commit && { commit }),
      })
      return answerOf(response)
    } catch (error) {
      const { message, responseCode, command = '' } = error as Error & { responseCode?: number; command?: string }
      if (responseCode === undefined || !OF_THE_MAIL.includes(command)) throw error
      throw new Refused(answerOf(message), responseCode >= 500)
    }
  }
}

/** The sender of a mail about what somebody did (comments.md 12). */
export const senderName = ({ name }: { name: string }, company: string): string =>
  company === '' ? name : `${name} via ${company}`

/** Returns a mail that ends only after `commit`: until then the server has not got the line that ends it, and accepts nothing. */
async function* endingAfter(commit: () => Promise<void>, read: () => AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield* read()
  await commit()
}
