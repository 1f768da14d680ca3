/**
 * A real SMTP server on this machine, and an HTTP server with SendGrid's API. Both record everything that they
 * receive.
 */
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer, json } from 'node:stream/consumers'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { cleanUp } from '../clean-up.ts'
import { eventually } from '../eventually.ts'

export interface ReceivedMail extends Email {
  /** The mail as transmitted. */
  raw: string
  /** The sender and recipients of the envelope. */
  envelopeFrom: string
  recipients: string[]
}

export interface MailServer {
  url: string
  port: number
  mails: ReceivedMail[]
  /** The number of connections so far. */
  connections: number
  /** Waits for the first mail to an address. */
  mailTo(address: string): Promise<ReceivedMail>
  stop(): Promise<void>
}

/** Starts an SMTP server. `options` replaces its handling of commands; `port` 0 picks a free one. */
export async function startMailServer(options: SMTPServerOptions = {}, port = 0): Promise<MailServer> {
  const mails: ReceivedMail[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    logger: false,
    onConnect: (_session, done) => {
      received.connections++
      done()
    },
    onData: (stream, { envelope: { mailFrom, rcptTo } }, done) => {
      const keep = async (raw: Buffer) => {
        mails.push({
          ...(await PostalMime.parse(raw)),
          raw: raw.toString('utf8'),
          envelopeFrom: mailFrom === false ? '' : mailFrom.address,
          recipients: rcptTo.map(({ address }) => address),
        })
        done()
      }
      void buffer(stream).then(keep, () => {}) // a mail whose sender died midway is dropped
    },
    ...options,
  })
  server.on('error', () => {}) // the other end closed the connection
  server.listen(port, '127.0.0.1')
  await once(server.server, 'listening')
  const taken = (server.server.address() as AddressInfo).port
  let stopped = false
  const received: MailServer = {
    url: `smtp://127.0.0.1:${taken}`,
    port: taken,
    mails,
    connections: 0,
    mailTo: (address) =>
      eventually(`mail to ${address}`, () => mails.find(({ recipients }) => recipients.includes(address))),
    async stop() {
      if (stopped) return
      stopped = true
      await new Promise<void>((resolve) => {
        server.close(resolve)
      })
    },
  }
  cleanUp(() => received.stop())
  return received
}

export interface SendGridRequest {
  path: string
  authorization: string | undefined
  // biome-ignore lint/suspicious/noExplicitAny: what SendGrid's API takes
  body: any
}

/** Starts a server that responds with 202 like SendGrid, or with the result of `answer`. */
export async function startSendGrid(
  answer: (request: SendGridRequest) => { status: number; body: string } = () => ({ status: 202, body: '' }),
): Promise<{ url: string; requests: SendGridRequest[] }> {
  const requests: SendGridRequest[] = []
  const server = http.createServer((request, response) => {
    void json(request).then((body) => {
      const received = { path: request.url ?? '', authorization: request.headers.authorization, body }
      requests.push(received)
      const { status, body: said } = answer(received)
      response.writeHead(status, { 'content-type': 'application/json', location: '/elsewhere' }).end(said)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanUp(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}
