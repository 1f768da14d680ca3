/**
 * Sends mails through the server of `SMTP_URL`, in the name of the installation: the sender that a key names gets the replies,
 * and its company is marked as somebody else's, because anybody can choose any name.
 */
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { isMailAddress } from '#contract/core/addresses.ts'
import { MailConnections, type SmtpError } from './connections.ts'
import { answerOf, type Message, Refused } from './message.ts'

export interface SmtpServer {
  url: string
  from: string
}

/** A server that does not respond occupies a worker no longer than this. */
const TIMEOUTS = { dnsTimeout: 5_000, connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 }
const ATTEMPT_MS = 40_000

/**
 * Connections are kept for the next mails, but closed before servers usually close them. A mail whose connection is
 * lost is not sent again here, because the server may have it.
 */
const POOL = { pool: true, idleTimeout: 5_000, maxMessages: 100, maxRequeues: 0 } as const

/** A refusal of one of these commands is about the mail, not about us. */
const isOfTheMail = ({ command = '' }: SmtpError): boolean => ['MAIL FROM', 'RCPT TO', 'DATA'].includes(command)

/** Loads the package with the first mail: many servers send none. */
async function openTransport(url: string, connections?: number) {
  const { createTransport } = await import('nodemailer')
  const transport = createTransport({
    ...{ url, ...TIMEOUTS },
    ...(connections !== undefined && { ...POOL, maxConnections: connections }),
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  transport.use('stream', ({ data, message }, done) => {
    const { commit } = data as { commit?: () => Promise<void> }
    if (commit !== undefined) {
      // The mail is read only once the server waits for it: a stream that is connected earlier ends before.
      const read = message.createReadStream.bind(message)
      message.createReadStream = () => Readable.from(endingAfter(commit, read), { objectMode: false })
    }
    done()
  })
  return transport
}

/** `connections`: how many mails are sent at the same time, the others wait; absent: each has a connection of its own. */
export function createSmtp({ url, from }: SmtpServer, connections?: number) {
  const domain = from.slice(from.lastIndexOf('@') + 1)
  let opened: ReturnType<typeof openTransport> | undefined
  const accepted = new MailConnections(connections ?? Number.POSITIVE_INFINITY)

  /** Returns the server's response. */
  async function send({ id, to, fromEmail, fromCompany, content, actor, headers, commit }: Message): Promise<string> {
    const company = fromCompany === '' ? domain : fromCompany
    const sender =
      actor === undefined ? (fromCompany === '' ? '' : `${company} via ${domain}`) : senderName(actor, company)
    const repliesTo =
      actor !== undefined && isMailAddress(actor.email)
        ? { name: actor.name, address: actor.email }
        : { name: fromCompany, address: fromEmail }
    opened ??= openTransport(url, connections)
    const transport = await opened
    const attempt = () =>
      transport.sendMail({
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
    try {
      const { response } = await accepted.use(attempt, (error) => !isOfTheMail(error))
      return answerOf(response)
    } catch (error) {
      const { message, responseCode } = error as SmtpError
      if (responseCode === undefined || !isOfTheMail(error as SmtpError)) throw error
      throw new Refused(answerOf(message), responseCode >= 500)
    }
  }

  return { send, close: async () => (await opened)?.close() }
}

/** The sender of a mail about what somebody did. */
export const senderName = ({ name }: { name: string }, company: string): string =>
  company === '' ? name : `${name} via ${company}`

/**
 * Returns a mail that ends only after `commit`: until then the server has not received the line that ends it, and
 * accepts nothing. The mail is sent in one piece, because each of its many small pieces would be a call of the
 * operating system.
 */
async function* endingAfter(commit: () => Promise<void>, read: () => Readable): AsyncGenerator<Buffer> {
  yield await buffer(read())
  await commit()
}
